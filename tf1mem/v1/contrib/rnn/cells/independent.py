# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Cells each of whose units sees, of the step before, only its own state; Li et al., arXiv:1803.04831."""

from __future__ import annotations

from typing import Any, Callable, Optional

import tf1mem.v1 as tf
from tf1mem.v1.contrib.rnn.cells.base import LayerCell, depth, lstm_state

Activation = Callable[[Any], Any]


# The base class of all cells of this file.
class _IndependentCell(LayerCell):
    def _weights(self, scope: str, name: str, shape: Any, gates: int, initializer: Any) -> Any:
        """Makes the kernel `[input_size, gates * num_units]` and the recurrent weights `[1, gates * num_units]`.

        Args:
            scope: Prefix of the variables' names, with "/" at its end, or "".
            name: Name of the kernel.
            shape: Shape of the inputs, `[batch, input_size]`.
            gates: Number of gates.
            initializer: Initializer of the kernel; None for the variable scope's.
        """
        size = gates * self._num_units
        matrix = self.add_weight(scope + name, [depth(shape), size], initializer=initializer)
        uniform = tf.random_uniform_initializer(-1, 1, dtype=self.dtype)
        return matrix, self.add_weight(scope + "kernel_u", [1, size], initializer=uniform)


class IndRNNCell(_IndependentCell):
    """Independently recurrent cell, h = activation(W x + u * h + b); Li et al., arXiv:1803.04831.

    Args:
        num_units: Units of the state and of the output.
        activation: Activation of the output; None for tanh.
        reuse: True to use variables that exist already in the scope.
        name: Name of the layer.
        dtype: Type of the variables; None for the inputs'.
    """

    def __init__(
        self,
        num_units: int,
        activation: Optional[Activation] = None,
        reuse: Optional[bool] = None,
        name: Optional[str] = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_units, num_units, reuse, name=name, dtype=dtype)
        self._num_units = num_units
        self._activation = activation or tf.tanh

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables, for inputs of shape `[batch, input_size]`."""
        self._kernel_w, self._kernel_u = self._weights("", "kernel_w", inputs_shape, 1, None)
        self._bias = self.add_weight("bias", [self._num_units], initializer=tf.zeros_initializer(dtype=self.dtype))
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: State, `[batch, num_units]`.

        Returns:
            Output and next state, the same `[batch, num_units]` tensor.
        """
        summed = tf.matmul(inputs, self._kernel_w) + state * self._kernel_u
        output = self._activation(tf.nn.bias_add(summed, self._bias))
        return output, output


# The base class of IndyGRUCell and IndyLSTMCell.
class _IndyCell(_IndependentCell):
    def __init__(
        self,
        state_size: Any,
        num_units: int,
        activation: Optional[Activation],
        reuse: Optional[bool],
        kernel_initializer: Any,
        bias_initializer: Any,
        name: Optional[str],
        dtype: Any,
    ) -> None:
        super().__init__(state_size, num_units, reuse, name=name, dtype=dtype)
        self._num_units = num_units
        self._activation = activation or tf.tanh
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    def _biases(self, name: str, gates: int, initial: float) -> Any:
        initializer = self._bias_initializer
        if initializer is None:
            initializer = tf.constant_initializer(initial, dtype=self.dtype)
        return self.add_weight(name, [gates * self._num_units], initializer=initializer)


class IndyGRUCell(_IndyCell):
    """GRU cell with independent units; Li et al., arXiv:1803.04831, Gonnet and Deselaers, arXiv:1903.08023.

    Args:
        num_units: Units of the state and of the output.
        activation: Activation of the candidate state; None for tanh.
        reuse: True to use variables that exist already in the scope.
        kernel_initializer: Initializer of the kernels; None for the variable scope's.
        bias_initializer: Initializer of the biases; None for ones at the gates, zeros at the candidate.
        name: Name of the layer.
        dtype: Type of the variables; None for the inputs'.
    """

    def __init__(
        self,
        num_units: int,
        activation: Optional[Activation] = None,
        reuse: Optional[bool] = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Optional[str] = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_units, num_units, activation, reuse, kernel_initializer, bias_initializer, name, dtype)

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables, for inputs of shape `[batch, input_size]`."""
        initializer = self._kernel_initializer
        self._gate_w, self._gate_u = self._weights("gates/", "kernel_w", inputs_shape, 2, initializer)
        self._gate_bias = self._biases("gates/bias", 2, 1.0)
        self._candidate_w, self._candidate_u = self._weights("candidate/", "kernel", inputs_shape, 1, initializer)
        self._candidate_bias = self._biases("candidate/bias", 1, 0.0)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: State, `[batch, num_units]`.

        Returns:
            Output and next state, the same `[batch, num_units]` tensor.
        """
        gates = tf.matmul(inputs, self._gate_w) + tf.tile(state, [1, 2]) * self._gate_u
        reset, update = tf.split(tf.sigmoid(tf.nn.bias_add(gates, self._gate_bias)), 2, 1)
        candidate = tf.matmul(inputs, self._candidate_w) + reset * state * self._candidate_u
        candidate = self._activation(tf.nn.bias_add(candidate, self._candidate_bias))
        state = update * state + (1 - update) * candidate
        return state, state


class IndyLSTMCell(_IndyCell):
    """LSTM cell with independent units; Gonnet and Deselaers, arXiv:1903.08023.

    Args:
        num_units: Units of the state and of the output.
        forget_bias: Number added to the forget gate before its sigmoid.
        activation: Activation of the cell input and of the cell state in the output; None for tanh.
        reuse: True to use variables that exist already in the scope.
        kernel_initializer: Initializer of the kernel; None for the variable scope's.
        bias_initializer: Initializer of the biases; None for zeros.
        name: Name of the layer.
        dtype: Type of the variables; None for the inputs'.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        activation: Optional[Activation] = None,
        reuse: Optional[bool] = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Optional[str] = None,
        dtype: Any = None,
    ) -> None:
        state_size = lstm_state(num_units)
        super().__init__(state_size, num_units, activation, reuse, kernel_initializer, bias_initializer, name, dtype)
        self._forget_bias = forget_bias

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables, for inputs of shape `[batch, input_size]`."""
        self._kernel_w, self._kernel_u = self._weights("", "kernel_w", inputs_shape, 4, self._kernel_initializer)
        self._bias = self._biases("bias", 4, 0.0)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: LSTMStateTuple of cell state and output, `[batch, num_units]` both.

        Returns:
            Output, `[batch, num_units]`, and the next state.
        """
        c, h = state
        gates = tf.matmul(inputs, self._kernel_w) + tf.tile(h, [1, 4]) * self._kernel_u
        i, j, f, o = tf.split(tf.nn.bias_add(gates, self._bias), 4, 1)
        c = c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * self._activation(j)
        h = self._activation(c) * tf.sigmoid(o)
        return h, tf.nn.rnn_cell.LSTMStateTuple(c, h)
