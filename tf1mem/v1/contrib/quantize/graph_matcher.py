# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Finding ops by their types and those of what they take."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from typing import Any, Iterator


class Pattern(ABC):
    """What an op can match."""

    @abstractmethod
    def match(self, op: Any, tensor: Any) -> MatchResult | None:
        """What was found, or None.

        Args:
            op: The op.
            tensor: The output of it that is taken; None if that isn't known.
        """


class OpTypePattern(Pattern):
    """An op of some types, whose inputs match patterns.

    Args:
        op_type: The types, separated by "|"; "*" for any.
        name: To ask a MatchResult by.
        inputs: Patterns or types, one for each input; none for any inputs.
        ordered_inputs: Whether they come in that order.

    Raises:
        ValueError: There are more than eight.
    """

    def __init__(self, op_type: str, name: str | None = None, inputs: Any = None, ordered_inputs: bool = True) -> None:
        self._op_type = op_type
        self._name = name
        inputs = inputs or []
        if len(inputs) > 8:
            raise ValueError(
                f"inputs: {len(inputs)} in any order are too many ways to try. Give at most 8, or ordered_inputs=True."
            )
        self._inputs = [each if isinstance(each, Pattern) else OpTypePattern(each) for each in inputs]
        self._ordered_inputs = ordered_inputs

    @property
    def name(self) -> str | None:
        return self._name

    def match(self, op: Any, tensor: Any) -> MatchResult | None:
        if self._op_type != "*" and op.type not in self._op_type.split("|"):
            return None
        if self._inputs and len(op.inputs) != len(self._inputs):
            return None
        orders = [self._inputs] if self._ordered_inputs else itertools.permutations(self._inputs)
        # A try that failed leaves what it found behind: a pattern is asked for the last one that it met.
        result = MatchResult()
        result.add(self, op, tensor)
        for order in orders:
            for t, pattern in zip(op.inputs, order):
                found = pattern.match(t.op, t)
                if found is None:
                    break
                result.merge_from(found)
            else:
                return result
        return None


class OneofPattern(Pattern):
    """The first of several patterns that matches."""

    def __init__(self, sub_patterns: Any) -> None:
        self._sub_patterns = sub_patterns

    def match(self, op: Any, tensor: Any) -> MatchResult | None:
        found = (pattern.match(op, tensor) for pattern in self._sub_patterns)
        return next((result for result in found if result is not None), None)


class MatchResult:
    """The ops and tensors that patterns met."""

    def __init__(self) -> None:
        self._pattern_to_op_tensor: dict[Any, tuple[Any, Any]] = {}
        self._name_to_pattern: dict[str, Any] = {}

    def add(self, pattern: Any, op: Any, tensor: Any) -> None:
        """Notes what a pattern met.

        Raises:
            ValueError: Its name is another's already.
        """
        self._pattern_to_op_tensor[pattern] = op, tensor
        if pattern.name is not None:
            if pattern.name in self._name_to_pattern:
                raise ValueError(f"Name {pattern.name} is already bound to another pattern")
            self._name_to_pattern[pattern.name] = pattern

    def _met(self, pattern_or_name: Any) -> tuple[Any, Any]:
        if isinstance(pattern_or_name, str):
            pattern_or_name = self._name_to_pattern.get(pattern_or_name)
        elif not isinstance(pattern_or_name, Pattern):
            raise ValueError(f"pattern_or_name has type {type(pattern_or_name)}. Expect Pattern or str.")
        return self._pattern_to_op_tensor.get(pattern_or_name, (None, None))

    def get_op(self, pattern_or_name: Any) -> Any:
        """The op that a pattern met, or None."""
        return self._met(pattern_or_name)[0]

    def get_tensor(self, pattern_or_name: Any) -> Any:
        """The tensor that a pattern met, or None."""
        return self._met(pattern_or_name)[1]

    def merge_from(self, other_match_result: MatchResult) -> None:
        """Adds what another has."""
        self._pattern_to_op_tensor.update(other_match_result._pattern_to_op_tensor)
        self._name_to_pattern.update(other_match_result._name_to_pattern)


class GraphMatcher:
    """Finds what matches a pattern."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern

    def match_op(self, op: Any) -> MatchResult | None:
        """What was found at an op, or None."""
        return self._pattern.match(op, None)

    def match_ops(self, ops: Any) -> Iterator[MatchResult]:
        """What was found at several."""
        for op in ops:
            result = self.match_op(op)
            if result is not None:
                yield result

    def match_graph(self, graph: Any) -> Iterator[MatchResult]:
        """What was found in a graph, as it was when this began."""
        return self.match_ops(graph.get_operations())
