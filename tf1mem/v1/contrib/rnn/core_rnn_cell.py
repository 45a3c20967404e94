# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Wrappers that embed or project what a cell is given and gives."""

from __future__ import annotations

import math
from typing import Any, Callable, Optional

import tf1mem.v1 as tf

RNNCell = tf.nn.rnn_cell.RNNCell


def checked_cell(argument: str, cell: Any) -> Any:
    """A cell, if it is one.

    Args:
        argument: What the caller was given it as.
        cell: Anything.

    Returns:
        The same cell.

    Raises:
        TypeError: It lacks what a cell has.
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
    """A matrix for tensors side by side, and a bias."""

    def __init__(
        self,
        args: Any,
        output_size: int,
        build_bias: bool,
        bias_initializer: Any = None,
        kernel_initializer: Any = None,
    ) -> None:
        """Make the variables, of the size that these inputs ask for.

        Args:
            args: A tensor of rank 2 or a list of such.
            output_size: Columns of what a call gives.
            build_bias: Whether a bias is added.
            bias_initializer: None is zeros.
            kernel_initializer: None is the variable scope's.

        Raises:
            ValueError: There are no inputs, or the size of one isn't known.
        """
        if args is None or (tf.nest.is_nested(args) and not args):
            raise ValueError("`args` must be specified: a tensor of rank 2 or a list of such")
        self._is_sequence = tf.nest.is_nested(args)
        inputs = list(args) if self._is_sequence else [args]
        for each in inputs:
            if each.shape.ndims != 2 or tf.dimension_value(each.shape[1]) is None:
                shapes = [str(one.shape) for one in inputs]
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
        """The inputs times the matrix, without a bias.

        Args:
            args: Like those that it was made for.
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
    """A cell round another one, whose states are its own.

    Args:
        cell: The one inside.
    """

    def __init__(self, cell: Any, **keywords: Any) -> None:
        super().__init__(**keywords)
        self._cell = checked_cell("cell", cell)

    @property
    def state_size(self) -> Any:
        """The state size of the cell inside."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """The output size of the cell inside."""
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The zero state of the cell inside.

        Args:
            batch_size: Examples.
            dtype: Of the state.
        """
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)


class EmbeddingWrapper(CellWrapper):
    """Embeds ids for a cell.

    Args:
        cell: What is given the embedded.
        embedding_classes: How many ids there are.
        embedding_size: Columns of the embedding.
        initializer: None is the variable scope's, else uniform with variance 1.
        reuse: Whether the variables are there already.

    Raises:
        TypeError: `cell` is no cell.
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
        """Look ids up, and call the cell inside.

        Args:
            inputs: Ids.
            state: The cell's.
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
    """Projects what a cell is given.

    Args:
        cell: What is given the projected.
        num_proj: Columns that it is given.
        activation: Goes over the projected; None leaves it as it is.
        input_size: Has no effect.
        reuse: Whether the variables are there already.

    Raises:
        TypeError: `cell` is no cell.
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
        """Project, and call the cell inside.

        Args:
            inputs: A tensor of rank 2.
            state: The cell's.
        """
        if self._linear is None:
            self._linear = _Linear(inputs, self._num_proj, True)
        projected = self._linear(inputs)
        return self._cell(self._activation(projected) if self._activation else projected, state)


class OutputProjectionWrapper(CellWrapper):
    """Projects what a cell gives.

    Args:
        cell: Whose output is projected.
        output_size: Columns of the projected.
        activation: Goes over the projected; None leaves it as it is.
        reuse: Whether the variables are there already.

    Raises:
        TypeError: `cell` is no cell.
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
        """Columns of the projected."""
        return self._output_size

    def call(self, inputs: Any, state: Any) -> Any:
        """Call the cell inside, and project.

        Args:
            inputs: The cell's.
            state: The cell's.
        """
        output, state = self._cell(inputs, state)
        if self._linear is None:
            self._linear = _Linear(output, self._output_size, True)
        projected = self._linear(output)
        return self._activation(projected) if self._activation else projected, state
