# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Wrappers that embed or project a cell's inputs or outputs."""

from __future__ import annotations

import math
from typing import Any, Callable, Optional

import tf1mem.v1 as tf

RNNCell = tf.nn.rnn_cell.RNNCell


def checked_cell(argument: str, cell: Any) -> Any:
    """Checks that an object has the interface of an RNNCell, for `[batch, size]` inputs and states, and returns it.

    Args:
        argument: Name of the caller's argument, for the error.
        cell: Object to check.

    Raises:
        TypeError: The object lacks an attribute of RNNCell.
    """
    lacking = [name for name in ("output_size", "state_size") if not hasattr(cell, name)]
    if not hasattr(cell, "zero_state") and not hasattr(cell, "get_initial_state"):
        lacking.append("zero_state")
    if not callable(cell):
        lacking.append("__call__")
    if lacking:
        raise TypeError(f"{argument} ({cell!r}) is not an RNNCell: it has no {', '.join(lacking)}")
    return cell


class _Linear:
    """Linear map of tensors that are concatenated along their columns."""

    def __init__(
        self,
        args: Any,
        output_size: int,
        build_bias: bool,
        bias_initializer: Any = None,
        kernel_initializer: Any = None,
    ) -> None:
        """Makes the variables.

        Args:
            args: `[batch, size]` tensor, or a list of such tensors.
            output_size: Units of the output.
            build_bias: True to add a bias.
            bias_initializer: Initializer of the bias; None for zeros.
            kernel_initializer: Initializer of the kernel; None for the variable scope's.

        Raises:
            ValueError: `args` is empty, or the size of a tensor isn't known.
        """
        if args is None or (tf.nest.is_nested(args) and not args):
            raise ValueError("`args` must be specified: a tensor of rank 2 or a list of them")
        self._is_sequence = tf.nest.is_nested(args)
        inputs = list(args) if self._is_sequence else [args]
        for each in inputs:
            if each.shape.ndims != 2 or tf.dimension_value(each.shape[1]) is None:
                shapes = [str(tensor.shape) for tensor in inputs]
                raise ValueError(f"linear is expecting 2D arguments whose shape[1] is known: {shapes}")
        rows = sum(tf.dimension_value(each.shape[1]) for each in inputs)
        dtype = inputs[0].dtype
        with tf.variable_scope(tf.get_variable_scope()) as scope:
            self.weights = tf.get_variable("kernel", [rows, output_size], dtype, kernel_initializer)
            self._biases = None
            if build_bias:
                # A bias isn't cut into shards, whatever the scope does with matrices.
                scope.set_partitioner(None)
                if bias_initializer is None:
                    bias_initializer = tf.constant_initializer(0.0, dtype=dtype)
                self._biases = tf.get_variable("bias", [output_size], dtype, bias_initializer)

    def product(self, args: Any) -> Any:
        """Returns the product of inputs and kernel, without the bias.

        Args:
            args: Tensors of the shapes that the variables were made for.
        """
        inputs = list(args) if self._is_sequence else [args]
        return tf.matmul(inputs[0] if len(inputs) == 1 else tf.concat(inputs, 1), self.weights)

    def __call__(self, args: Any) -> Any:
        result = self.product(args)
        return result if self._biases is None else tf.nn.bias_add(result, self._biases)


def _linear(
    args: Any, output_size: int, bias: bool, bias_initializer: Any = None, kernel_initializer: Any = None
) -> Any:
    return _Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)


class CellWrapper(RNNCell):  # type: ignore[misc, valid-type]
    """Base of wrappers: a cell whose `[batch, size]` states and outputs have the sizes of the cell that it wraps.

    Args:
        cell: Cell that is wrapped.
    """

    def __init__(self, cell: Any, **keywords: Any) -> None:
        super().__init__(**keywords)
        self._cell = checked_cell("cell", cell)

    @property
    def state_size(self) -> Any:
        """Returns the state size of the wrapped cell, whose states are `[batch, size]`."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """Returns the output size of the wrapped cell, whose outputs are `[batch, size]`."""
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the zero state of the wrapped cell, `[batch, size]` tensors.

        Args:
            batch_size: Number of examples.
            dtype: Type of the state.
        """
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)


class EmbeddingWrapper(CellWrapper):
    """Cell that passes embeddings of its `[batch]` integer inputs to another cell.

    Args:
        cell: Cell that gets the embedded inputs.
        embedding_classes: Number of ids.
        embedding_size: Units of the embedding.
        initializer: Initializer of the embedding; None for the variable scope's or, if that has none, for a uniform
            one with variance 1.
        reuse: True to use variables that exist already in the scope.

    Raises:
        TypeError: `cell` isn't an RNNCell.
        ValueError: A size isn't positive.
    """

    def __init__(
        self,
        cell: Any,
        embedding_classes: int,
        embedding_size: int,
        initializer: Any = None,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(cell, _reuse=reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                f"Both embedding_classes and embedding_size must be > 0: {embedding_classes}, {embedding_size}."
            )
        self._embedding_classes = embedding_classes
        self._embedding_size = embedding_size
        self._initializer = initializer

    def call(self, inputs: Any, state: Any) -> Any:
        """Looks the ids up, and returns the output and the next state of the wrapped cell.

        Args:
            inputs: `[batch]` or `[batch, 1]` integer tensor.
            state: State of the wrapped cell.
        """
        with tf.device("/cpu:0"):
            initializer = self._initializer or tf.get_variable_scope().initializer
            if not initializer:
                initializer = tf.random_uniform_initializer(-math.sqrt(3), math.sqrt(3))
            dtype = (state[0] if isinstance(state, tuple) else state).dtype
            embedding = tf.get_variable(
                "embedding", [self._embedding_classes, self._embedding_size], dtype, initializer
            )
            return self._cell(tf.nn.embedding_lookup(embedding, tf.reshape(inputs, [-1])), state)


class InputProjectionWrapper(CellWrapper):
    """Projects a cell's `[batch, input_size]` inputs.

    Args:
        cell: Cell that gets the projected inputs.
        num_proj: Units that the inputs are projected to.
        activation: Activation of the projection; None for a linear projection.
        input_size: Ignored, as in TensorFlow 1.15.
        reuse: True to use variables that exist already in the scope.

    Raises:
        TypeError: `cell` isn't an RNNCell.
    """

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Optional[Callable[[Any], Any]] = None,
        input_size: Any = None,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(cell, _reuse=reuse)
        if input_size is not None:
            tf.logging.warn("%s: input_size does nothing. Leave it out.", self)
        self._num_proj = num_proj
        self._activation = activation
        self._linear: Optional[_Linear] = None

    def call(self, inputs: Any, state: Any) -> Any:
        """Projects the inputs, and returns the output and the next state of the wrapped cell.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: State of the wrapped cell.
        """
        if self._linear is None:
            self._linear = _Linear(inputs, self._num_proj, True)
        projected = self._linear(inputs)
        return self._cell(self._activation(projected) if self._activation else projected, state)


class OutputProjectionWrapper(CellWrapper):
    """Projects a cell's outputs to `[batch, output_size]`.

    Args:
        cell: Cell whose outputs are projected.
        output_size: Units that the outputs are projected to.
        activation: Activation of the projection; None for a linear projection.
        reuse: True to use variables that exist already in the scope.

    Raises:
        TypeError: `cell` isn't an RNNCell.
        ValueError: `output_size` isn't positive.
    """

    def __init__(
        self,
        cell: Any,
        output_size: int,
        activation: Optional[Callable[[Any], Any]] = None,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(cell, _reuse=reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size = output_size
        self._activation = activation
        self._linear: Optional[_Linear] = None

    @property
    def output_size(self) -> int:
        """Returns the size of a `[batch, size]` output."""
        return self._output_size

    def call(self, inputs: Any, state: Any) -> Any:
        """Calls the wrapped cell, and returns its projected output and its next state.

        Args:
            inputs: `[batch, input_size]` tensor.
            state: State of the wrapped cell.
        """
        output, state = self._cell(inputs, state)
        if self._linear is None:
            self._linear = _Linear(output, self._output_size, True)
        projected = self._linear(output)
        return self._activation(projected) if self._activation else projected, state
