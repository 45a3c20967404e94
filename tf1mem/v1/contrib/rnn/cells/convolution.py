# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Convolutional LSTM cells; Shi et al., arXiv:1506.04214."""

from __future__ import annotations

from typing import Any, Sequence

import tf1mem.v1 as tf
from tf1mem.v1.contrib.rnn.cells.base import Cell

_BY_RANK = {3: "conv1d", 4: "conv2d", 5: "conv3d"}


class ConvLSTMCell(Cell):
    """LSTM cell whose matrix products are convolutions; Shi et al., arXiv:1506.04214.

    Inputs are `[batch, *space, channels]`, states and outputs `[batch, *space, output_channels]`.

    Args:
        conv_ndims: Number of dimensions of space, 1 to 3.
        input_shape: Shape of an input, `[*space, channels]`.
        output_channels: Channels of the cell state and of the output.
        kernel_shape: Size of the kernel, `conv_ndims` integers.
        use_bias: True to add a bias.
        skip_connection: True to append the input's channels to the output's. As in TensorFlow 1.15, the next state
            contains that output.
        forget_bias: Number added to the forget gate before its sigmoid.
        initializers: Ignored, as in TensorFlow 1.15.
        name: Name of the layer.

    Raises:
        ValueError: `input_shape` doesn't have `conv_ndims` dimensions of space.
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
        state_shape = tf.TensorShape([*space, output_channels])
        output_shape = tf.TensorShape([*space, output_channels + (input_shape[-1] if skip_connection else 0)])
        super().__init__(tf.nn.rnn_cell.LSTMStateTuple(state_shape, state_shape), output_shape, name=name)
        self._conv_ndims = conv_ndims
        self._input_shape = input_shape
        self._output_channels = output_channels
        self._kernel_shape = list(kernel_shape)
        self._use_bias = use_bias
        self._forget_bias = forget_bias
        self._skip_connection = skip_connection

    def call(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, *space, channels]` float tensor.
            state: LSTMStateTuple of cell state and output, `[batch, *space, output_channels]` both.
            scope: Ignored.

        Returns:
            Output, `[batch, *space, output_channels]`, or with more channels if the input's are appended; and the next
            state, whose second part is that output.
        """
        cell, hidden = state
        gates = _conv([inputs, hidden], list(self._kernel_shape), 4 * self._output_channels, self._use_bias)
        input_gate, cell_input, forget, output_gate = tf.split(gates, 4, self._conv_ndims + 1)
        cell = tf.sigmoid(forget + self._forget_bias) * cell + tf.sigmoid(input_gate) * tf.tanh(cell_input)
        output = tf.tanh(cell) * tf.sigmoid(output_gate)
        if self._skip_connection:
            output = tf.concat([output, inputs], axis=-1)
        return output, tf.nn.rnn_cell.LSTMStateTuple(cell, output)


class Conv1DLSTMCell(ConvLSTMCell):
    """Convolutional LSTM cell over `[batch, width, channels]`.

    Args:
        name: Name of the layer.
        kwargs: Arguments of `ConvLSTMCell`.
    """

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """Convolutional LSTM cell over `[batch, height, width, channels]`.

    Args:
        name: Name of the layer.
        kwargs: Arguments of `ConvLSTMCell`.
    """

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """Convolutional LSTM cell over `[batch, depth, height, width, channels]`.

    Args:
        name: Name of the layer.
        kwargs: Arguments of `ConvLSTMCell`.
    """

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=3, name=name, **kwargs)


def _conv(args: Any, filter_size: Any, num_features: int, bias: bool, bias_start: float = 0.0) -> Any:
    """Returns the convolution of tensors that are concatenated along their channels."""
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
