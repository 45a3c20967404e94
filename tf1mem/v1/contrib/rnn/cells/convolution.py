# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""LSTM cells that convolve."""

from __future__ import annotations

from typing import Any, Sequence

import tf1mem.v1 as tf
from tf1mem.v1.contrib.rnn.cells.base import Cell

_BY_RANK = {3: "conv1d", 4: "conv2d", 5: "conv3d"}


class ConvLSTMCell(Cell):
    """An LSTM over images, or rows or volumes.

    Args:
        conv_ndims: Dimensions of an input, without channels.
        input_shape: Of an input, with channels.
        output_channels: Channels of what it remembers.
        kernel_shape: Of the convolution, `conv_ndims` numbers.
        use_bias: Whether there are biases.
        skip_connection: Whether the input is beside the output.
        forget_bias: Added to the forget gate.
        initializers: Has no effect.
        name: Of the layer.

    Raises:
        ValueError: The input has other dimensions.
    """

    def __init__(
        self,
        conv_ndims: int,
        input_shape: Any,
        output_channels: int,
        kernel_shape: Sequence[int],
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: Any = None,
        name: str = "conv_lstm_cell",
    ) -> None:
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        space = list(input_shape[:-1])
        remembered = tf.TensorShape([*space, output_channels])
        given = tf.TensorShape([*space, output_channels + (input_shape[-1] if skip_connection else 0)])
        super().__init__(tf.nn.rnn_cell.LSTMStateTuple(remembered, remembered), given, name=name)
        self._conv_ndims = conv_ndims
        self._input_shape = input_shape
        self._output_channels = output_channels
        self._kernel_shape = list(kernel_shape)
        self._use_bias = use_bias
        self._forget_bias = forget_bias
        self._skip_connection = skip_connection

    def call(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Go one step on."""
        cell, hidden = state
        gates = _conv([inputs, hidden], list(self._kernel_shape), 4 * self._output_channels, self._use_bias)
        input_gate, taken_in, forget, output_gate = tf.split(gates, 4, self._conv_ndims + 1)
        cell = tf.sigmoid(forget + self._forget_bias) * cell + tf.sigmoid(input_gate) * tf.tanh(taken_in)
        output = tf.tanh(cell) * tf.sigmoid(output_gate)
        if self._skip_connection:
            output = tf.concat([output, inputs], axis=-1)
        return output, tf.nn.rnn_cell.LSTMStateTuple(cell, output)


class Conv1DLSTMCell(ConvLSTMCell):
    """An LSTM over rows.

    Args:
        name: Of the layer.
        kwargs: What `ConvLSTMCell` takes.
    """

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """An LSTM over images.

    Args:
        name: Of the layer.
        kwargs: What `ConvLSTMCell` takes.
    """

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """An LSTM over volumes.

    Args:
        name: Of the layer.
        kwargs: What `ConvLSTMCell` takes.
    """

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=3, name=name, **kwargs)


def _conv(args: Any, filter_size: Any, num_features: int, bias: bool, bias_start: float = 0.0) -> Any:
    """Tensors, channel by channel beside each other, convolved."""
    shapes = [each.shape.as_list() for each in args]
    ranks = {len(shape) for shape in shapes}
    rank = min(ranks)
    if not ranks <= set(_BY_RANK):
        raise ValueError(f"Conv Linear expects 3D, 4D or 5D arguments: {shapes}")
    if len(ranks) != 1:
        raise ValueError(f"Conv Linear expects all args to be of same Dimension: {shapes}")
    dtype = args[0].dtype
    channels = sum(shape[-1] for shape in shapes)
    kernel = tf.get_variable("kernel", [*filter_size, channels, num_features], dtype)
    inputs = args[0] if len(args) == 1 else tf.concat(args, rank - 1)
    convolved = getattr(tf.nn, _BY_RANK[rank])(inputs, kernel, 1 if rank == 3 else [1] * rank, padding="SAME")
    if not bias:
        return convolved
    zeros = tf.constant_initializer(bias_start, dtype=dtype)
    return convolved + tf.get_variable("biases", [num_features], dtype, zeros)
