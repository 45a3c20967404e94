# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Pattern matching of ops by their types and inputs."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from typing import Any, Iterator


class Pattern(ABC):
    """Matches ops, by themselves or together with the ops that compute their inputs, tensors of any shape."""

    @abstractmethod
    def match(self, op: Any, tensor: Any) -> MatchResult | None:
        """Returns the `MatchResult` of an op, or None.

        Args:
            op: The tf.Operation to match.
            tensor: Output of the op that is consumed, of any shape; None if unknown.
        """


class OpTypePattern(Pattern):
    """Matches ops of some types whose inputs, tensors of any shape, match patterns.

    Args:
        op_type: Types, separated by "|"; "*" for any type.
        name: Name for look-ups in a `MatchResult`; None for no name.
        inputs: Patterns or types, one per input; None for any inputs.
        ordered_inputs: True if the inputs must match in this order, false for any order.

    Raises:
        ValueError: There are more than eight inputs.
    """

    def __init__(self, op_type: str, name: str | None = None, inputs: Any = None, ordered_inputs: bool = True) -> None:
        self._op_type = op_type
        self._name = name
        inputs = inputs or []
        if len(inputs) > 8:
            raise ValueError(f"inputs: {len(inputs)} are too many patterns. Give at most 8.")
        self._inputs = [each if isinstance(each, Pattern) else OpTypePattern(each) for each in inputs]
        self._ordered_inputs = ordered_inputs

    @property
    def name(self) -> str | None:
        """Returns the name for look-ups, or None."""
        return self._name

    def match(self, op: Any, tensor: Any) -> MatchResult | None:
        """Returns the match of this pattern with an op and the ops before it, or None.

        Args:
            op: The tf.Operation to match.
            tensor: Output of the op that is consumed, of any shape; None if unknown.
        """
        if self._op_type != "*" and op.type not in self._op_type.split("|"):
            return None
        if self._inputs and len(op.inputs) != len(self._inputs):
            return None
        orders = [self._inputs] if self._ordered_inputs else itertools.permutations(self._inputs)
        # A failed order leaves its matches in the result; later matches of a pattern override them.
        result = MatchResult()
        result.add(self, op, tensor)
        for order in orders:
            for t, pattern in zip(op.inputs, order):
                input_match = pattern.match(t.op, t)
                if input_match is None:
                    break
                result.merge_from(input_match)
            else:
                return result
        return None


class OneofPattern(Pattern):
    """Matches ops by the first of several patterns that fits.

    Args:
        sub_patterns: List of `Pattern` objects, tried in this order.
    """

    def __init__(self, sub_patterns: Any) -> None:
        self._sub_patterns = sub_patterns

    def match(self, op: Any, tensor: Any) -> MatchResult | None:
        """Returns the first match, or None; `tensor` is the output of the op that is consumed, of any shape."""
        results = (pattern.match(op, tensor) for pattern in self._sub_patterns)
        return next((result for result in results if result is not None), None)


class MatchResult:
    """Maps patterns to the ops and tensors, of any shape, that they match."""

    def __init__(self) -> None:
        self._pattern_to_op_tensor: dict[Any, tuple[Any, Any]] = {}
        self._name_to_pattern: dict[str, Any] = {}

    def add(self, pattern: Any, op: Any, tensor: Any) -> None:
        """Adds the match of a pattern.

        Args:
            pattern: The pattern that matched.
            op: Matched op.
            tensor: Matched output of the op, of any shape, or None.

        Raises:
            ValueError: Another pattern has the same name.
        """
        self._pattern_to_op_tensor[pattern] = op, tensor
        if pattern.name is not None:
            if pattern.name in self._name_to_pattern:
                raise ValueError(f"Name {pattern.name} is already bound to another pattern")
            self._name_to_pattern[pattern.name] = pattern

    def _op_and_tensor(self, pattern_or_name: Any) -> tuple[Any, Any]:
        if isinstance(pattern_or_name, str):
            pattern_or_name = self._name_to_pattern.get(pattern_or_name)
        elif not isinstance(pattern_or_name, Pattern):
            raise ValueError(f"pattern_or_name has type {type(pattern_or_name)}. Expect Pattern or str.")
        return self._pattern_to_op_tensor.get(pattern_or_name, (None, None))

    def get_op(self, pattern_or_name: Any) -> Any:
        """Returns the op that a pattern matches, or None.

        Args:
            pattern_or_name: The pattern, or its name.
        """
        return self._op_and_tensor(pattern_or_name)[0]

    def get_tensor(self, pattern_or_name: Any) -> Any:
        """Returns the tensor, of any shape, that a pattern matches, or None.

        Args:
            pattern_or_name: The pattern, or its name.
        """
        return self._op_and_tensor(pattern_or_name)[1]

    def merge_from(self, other_match_result: MatchResult) -> None:
        """Adds the matches of another result.

        Args:
            other_match_result: The other `MatchResult`.
        """
        self._pattern_to_op_tensor.update(other_match_result._pattern_to_op_tensor)
        self._name_to_pattern.update(other_match_result._name_to_pattern)


class GraphMatcher:
    """Finds the matches of a pattern.

    Args:
        pattern: A `Pattern`, such as `OpTypePattern("Relu", inputs=["Conv2D"])`.
    """

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern

    def match_op(self, op: Any) -> MatchResult | None:
        """Returns the match at an op, or None.

        Args:
            op: The tf.Operation to match.
        """
        return self._pattern.match(op, None)

    def match_ops(self, ops: Any) -> Iterator[MatchResult]:
        """Yields the matches at several ops.

        Args:
            ops: Iterable of tf.Operations.
        """
        for op in ops:
            result = self.match_op(op)
            if result is not None:
                yield result

    def match_graph(self, graph: Any) -> Iterator[MatchResult]:
        """Yields the matches in a graph, without ops that are added meanwhile.

        Args:
            graph: The tf.Graph.
        """
        return self.match_ops(graph.get_operations())
