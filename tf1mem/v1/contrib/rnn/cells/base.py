# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What the cells are made of."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import tf1mem.v1 as tf


class _Sized:
    """Columns of a cell's states and outputs, known before it is called."""

    _state_size: Any
    _output_size: Any

    @property
    def state_size(self) -> Any:
        """Columns of a state, or a tuple of such."""
        return self._state_size

    @property
    def output_size(self) -> Any:
        """Columns of an output."""
        return self._output_size


class Cell(_Sized, tf.nn.rnn_cell.RNNCell):  # type: ignore[misc, name-defined]
    """A cell whose variables are made where it is called, by the variable scope there.

    Args:
        state_size: Columns of a state, or a tuple of such.
        output_size: Columns of an output.
        reuse: Whether the variables are there already.
        keywords: What any layer takes.
    """

    def __init__(self, state_size: Any, output_size: Any, reuse: Optional[bool] = None, **keywords: Any) -> None:
        super().__init__(_reuse=reuse, **keywords)
        self._state_size = state_size
        self._output_size = output_size


# TensorFlow's own base of cells that make their variables once, as layers do; it has no public name.
LayerRNNCell = tf.nn.rnn_cell.BasicRNNCell.__mro__[1]


class LayerCell(_Sized, LayerRNNCell):  # type: ignore[misc, valid-type]
    """A cell that makes its variables once, as a layer does.

    Args:
        state_size: Columns of a state, or a tuple of such.
        output_size: Columns of an output.
        reuse: Whether the variables are there already.
        keywords: What any layer takes.
    """

    def __init__(self, state_size: Any, output_size: Any, reuse: Optional[bool] = None, **keywords: Any) -> None:
        super().__init__(_reuse=reuse, **keywords)
        self.input_spec = tf.layers.InputSpec(ndim=2)
        self._state_size = state_size
        self._output_size = output_size


def lstm_state(num_units: int, num_proj: Optional[int] = None) -> Any:
    """Columns of an LSTM's state.

    Args:
        num_units: Of what it remembers.
        num_proj: Of what it gives; None is `num_units`.
    """
    return tf.nn.rnn_cell.LSTMStateTuple(num_units, num_proj or num_units)


def columns(tensor: Any) -> int:
    """How many columns a tensor of rank 2 has.

    Args:
        tensor: The tensor.

    Raises:
        ValueError: It has another rank, or they aren't known.
    """
    found = tf.dimension_value(tensor.shape.with_rank(2)[1])
    if found is None:
        raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
    return int(found)


def depth(shape: Any) -> int:
    """The last dimension of what a layer is built for.

    Args:
        shape: A shape.

    Raises:
        ValueError: It isn't known.
    """
    found = tf.TensorShape(shape).as_list()[-1]
    if found is None:
        raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {shape}")
    return int(found)


def batch_of(inputs: Any) -> Any:
    """How many examples there are: a number, or a tensor where it isn't known.

    Args:
        inputs: A tensor, examples first.
    """
    return tf.dimension_value(inputs.shape[0]) or tf.shape(inputs)[0]


def weights_by_name(names: str, size: int, dtype: Any) -> Dict[str, Any]:
    """Peepholes: a weight for each unit, under each of some names.

    Args:
        names: With blanks between.
        size: Units.
        dtype: Of the variables.
    """
    return {name: tf.get_variable(name, [size], dtype) for name in names.split()}


def in_shards(name: str, shape: List[int], dtype: Any, shards: int) -> Any:
    """A matrix that is kept as several variables, one over the other, each named by its number.

    Args:
        name: Of the matrix.
        shape: Its rows and columns.
        dtype: Its type.
        shards: How many variables.

    Returns:
        The matrix, the same tensor where a scope asks again.

    Raises:
        ValueError: There are more shards than rows.
    """
    rows, width = shape
    if shards > rows:
        raise ValueError(f"Too many shards: shape={shape}, num_shards={shards}")
    each, more = divmod(rows, shards)
    parts = [tf.get_variable(f"{name}_{i}", [each + (i < more), width], dtype) for i in range(shards)]
    if shards == 1:
        return parts[0]
    whole = f"{tf.get_variable_scope().name}/{name}/concat:0"
    for made in tf.get_collection(tf.GraphKeys.CONCATENATED_VARIABLES):
        if made.name == whole:
            return made
    made = tf.concat(parts, 0, name=name + "/concat")
    tf.add_to_collection(tf.GraphKeys.CONCATENATED_VARIABLES, made)
    return made


def normalized(inputs: Any, scope: str, gain: float, shift: float) -> Any:
    """Layer normalization.

    Args:
        inputs: A tensor of rank 2.
        scope: Of the variables gamma and beta.
        gain: What gamma begins with.
        shift: What beta begins with.
    """
    size = [columns(inputs)]
    with tf.variable_scope(scope):
        gamma = tf.get_variable("gamma", size, inputs.dtype, tf.constant_initializer(gain))
        beta = tf.get_variable("beta", size, inputs.dtype, tf.constant_initializer(shift))
        mean, variance = tf.nn.moments(inputs, [1], keep_dims=True)
        epsilon = 1e-3 if inputs.dtype == tf.float16 else 1e-12
        return tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)


def clipped(tensor: Any, limit: Optional[float]) -> Any:
    """A tensor within limits.

    Args:
        tensor: The tensor.
        limit: The largest absolute value; None leaves it as it is.
    """
    return tensor if limit is None else tf.clip_by_value(tensor, -limit, limit)


def uniform_log(minval: float, maxval: float) -> Any:
    """An initializer of numbers whose logarithms are uniform.

    Args:
        minval: The least.
        maxval: The greatest.
    """

    def initializer(shape: Any, dtype: Any = tf.float32, partition_info: Any = None) -> Any:
        # By ops, as in 1.15, where the number of ops before it decides what a random op draws.
        return tf.exp(tf.random_uniform(shape, tf.log(minval), tf.log(maxval), dtype))

    return initializer
