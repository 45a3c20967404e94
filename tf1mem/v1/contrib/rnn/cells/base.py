# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Base classes of the cells, and the functions that they share."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import tf1mem.v1 as tf


class _Sized:
    """Sizes of a cell's states and outputs, known before it is called."""

    _state_size: Any
    _output_size: Any

    @property
    def state_size(self) -> Any:
        """Returns the size of a `[batch, size]` state, or a tuple of sizes."""
        return self._state_size

    @property
    def output_size(self) -> Any:
        """Returns the size of a `[batch, size]` output."""
        return self._output_size


class Cell(_Sized, tf.nn.rnn_cell.RNNCell):  # type: ignore[misc, name-defined]
    """Cell that makes its variables when it is called, in the variable scope of the call.

    Args:
        state_size: Size of a `[batch, size]` state, or a tuple of sizes.
        output_size: Size of a `[batch, size]` output.
        reuse: True to use variables that exist already in the scope.
        keywords: Arguments of `tf.layers.Layer`.
    """

    def __init__(self, state_size: Any, output_size: Any, reuse: Optional[bool] = None, **keywords: Any) -> None:
        super().__init__(_reuse=reuse, **keywords)
        self._state_size = state_size
        self._output_size = output_size


# TensorFlow's own base of cells that make their variables once, as layers do; it has no public name.
LayerRNNCell = tf.nn.rnn_cell.BasicRNNCell.__mro__[1]


class LayerCell(_Sized, LayerRNNCell):  # type: ignore[misc, valid-type]
    """Cell that makes its variables once, as a layer does.

    Args:
        state_size: Size of a `[batch, size]` state, or a tuple of sizes.
        output_size: Size of a `[batch, size]` output.
        reuse: True to use variables that exist already in the scope.
        keywords: Arguments of `tf.layers.Layer`.
    """

    def __init__(self, state_size: Any, output_size: Any, reuse: Optional[bool] = None, **keywords: Any) -> None:
        super().__init__(_reuse=reuse, **keywords)
        self.input_spec = tf.layers.InputSpec(ndim=2)
        self._state_size = state_size
        self._output_size = output_size


def lstm_state(num_units: int, num_proj: Optional[int] = None) -> Any:
    """Returns the sizes of an LSTM's state as an `LSTMStateTuple`; its tensors are `[batch, size]`.

    Args:
        num_units: Units of the cell state.
        num_proj: Units of the output; None for `num_units`.
    """
    return tf.nn.rnn_cell.LSTMStateTuple(num_units, num_proj or num_units)


def columns(tensor: Any) -> int:
    """Returns the second dimension of a tensor.

    Args:
        tensor: `[batch, size]` tensor.

    Raises:
        ValueError: The tensor has another rank, or the dimension isn't known.
    """
    size = tf.dimension_value(tensor.shape.with_rank(2)[1])
    if size is None:
        raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
    return int(size)


def depth(shape: Any) -> int:
    """Returns the last dimension of an input shape.

    Args:
        shape: Shape that a layer is built for.

    Raises:
        ValueError: The last dimension isn't known.
    """
    size = tf.TensorShape(shape).as_list()[-1]
    if size is None:
        raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {shape}")
    return int(size)


def batch_of(inputs: Any) -> Any:
    """Returns the batch size: an integer, or a tensor if it isn't known before the graph runs.

    Args:
        inputs: `[batch, ...]` tensor.
    """
    return tf.dimension_value(inputs.shape[0]) or tf.shape(inputs)[0]


def weights_by_name(names: str, size: int, dtype: Any) -> Dict[str, Any]:
    """Returns variables of shape `[size]`, the weights of peepholes, by their names.

    Args:
        names: Names, separated by spaces.
        size: Number of units.
        dtype: Type of the variables.
    """
    return {name: tf.get_variable(name, [size], dtype) for name in names.split()}


def in_shards(name: str, shape: List[int], dtype: Any, shards: int) -> Any:
    """Returns a matrix that is kept as several variables, split by rows; each has its number in its name.

    Args:
        name: Name of the matrix.
        shape: Rows and columns.
        dtype: Type of the variables.
        shards: Number of variables.

    Returns:
        The matrix; for the same name and scope the same tensor.

    Raises:
        ValueError: There are more shards than rows.
    """
    rows, width = shape
    if shards > rows:
        raise ValueError(f"Too many shards: shape={shape}, num_shards={shards}")
    rows_of_shard, remainder = divmod(rows, shards)
    parts = [tf.get_variable(f"{name}_{i}", [rows_of_shard + (i < remainder), width], dtype) for i in range(shards)]
    if shards == 1:
        return parts[0]
    tensor_name = f"{tf.get_variable_scope().name}/{name}/concat:0"
    for matrix in tf.get_collection(tf.GraphKeys.CONCATENATED_VARIABLES):
        if matrix.name == tensor_name:
            return matrix
    matrix = tf.concat(parts, 0, name=name + "/concat")
    tf.add_to_collection(tf.GraphKeys.CONCATENATED_VARIABLES, matrix)
    return matrix


def normalized(inputs: Any, scope: str, gain: float, shift: float) -> Any:
    """Returns the inputs after layer normalization; Ba et al., arXiv:1607.06450.

    Args:
        inputs: `[batch, size]` float tensor.
        scope: Variable scope of gamma and beta.
        gain: Initial value of gamma.
        shift: Initial value of beta.
    """
    size = [columns(inputs)]
    with tf.variable_scope(scope):
        gamma = tf.get_variable("gamma", size, inputs.dtype, tf.constant_initializer(gain))
        beta = tf.get_variable("beta", size, inputs.dtype, tf.constant_initializer(shift))
        mean, variance = tf.nn.moments(inputs, [1], keep_dims=True)
        epsilon = 1e-3 if inputs.dtype == tf.float16 else 1e-12
        return tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)


def clipped(tensor: Any, limit: Optional[float]) -> Any:
    """Returns a tensor, clipped to [-limit, limit].

    Args:
        tensor: Tensor of any shape.
        limit: Largest absolute value; None for no limit.
    """
    return tensor if limit is None else tf.clip_by_value(tensor, -limit, limit)


def uniform_log(minval: float, maxval: float) -> Any:
    """Returns an initializer that draws numbers with uniform logarithms, for any shape.

    Args:
        minval: Smallest number.
        maxval: Largest number.
    """

    def initializer(shape: Any, dtype: Any = tf.float32, partition_info: Any = None) -> Any:
        """Returns numbers of this shape and dtype; float32 by default."""
        # Computed by ops, as in 1.15: a random op's seed depends on the number of ops before it.
        return tf.exp(tf.random_uniform(shape, tf.log(minval), tf.log(maxval), dtype))

    return initializer
