# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Gated cells other than LSTMs: NAS, UGRNN, intersection, SRU, minimal and chaos-free."""

from __future__ import annotations

from typing import Any, Callable, Optional

import tf1mem.v1 as tf
from tf1mem.v1.contrib.rnn.cells.base import Cell, LayerCell, columns, depth, lstm_state
from tf1mem.v1.contrib.rnn.core_rnn_cell import _Linear

Activation = Callable[[Any], Any]


class NASCell(LayerCell):
    """Cell that was found by neural architecture search; Zoph and Le, arXiv:1611.01578.

    Args:
        num_units: Units of the cell state.
        num_proj: Units that the output is projected to; None for no projection.
        use_bias: True to add a bias.
        reuse: True to use variables that exist already in the scope.
        kwargs: Arguments of `tf.layers.Layer`.
    """

    _NAS_BASE = 8

    def __init__(
        self,
        num_units: int,
        num_proj: Optional[int] = None,
        use_bias: bool = False,
        reuse: Optional[bool] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(lstm_state(num_units, num_proj), num_proj or num_units, reuse, **kwargs)
        # Like 1.15, checks the rank only when the variables are made.
        self.input_spec = None
        self._num_units = num_units
        self._num_proj = num_proj
        self._use_bias = use_bias

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables, for inputs of shape `[batch, input_size]`."""
        rank_2 = tf.TensorShape(inputs_shape).with_rank(2)
        output_size = self._num_units if self._num_proj is None else self._num_proj
        size = self._NAS_BASE * self._num_units
        self.recurrent_kernel = self.add_weight("recurrent_kernel", [output_size, size])
        self.kernel = self.add_weight("kernel", [depth(rank_2), size])
        if self._use_bias:
            self.bias = self.add_weight("bias", [size], initializer=tf.zeros_initializer())
        if self._num_proj is not None:
            self.projection_weights = self.add_weight("projection_weights", [self._num_units, self._num_proj])
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: LSTMStateTuple of cell state, `[batch, num_units]`, and output, `[batch, output_size]`.

        Returns:
            Output, `[batch, output_size]`, whose size is `num_proj` or else `num_units`; and the next state.
        """
        c_prev, m_prev = state
        before = tf.matmul(m_prev, self.recurrent_kernel)
        if self._use_bias:
            before = tf.nn.bias_add(before, self.bias)
        of_inputs = tf.split(tf.matmul(inputs, self.kernel), self._NAS_BASE, 1)
        both = list(zip(of_inputs, tf.split(before, self._NAS_BASE, 1)))

        def gate(number: int, activation: Activation) -> Any:
            """Returns a gate, `[batch, num_units]`, combined of a part of the input and one of the state."""
            input_part, state_part = both[number]
            return activation(input_part * state_part if number == 3 else input_part + state_part)

        left = tf.tanh(tf.tanh(gate(0, tf.sigmoid) * gate(1, tf.nn.relu)) + c_prev)
        c = left * tf.tanh(gate(2, tf.sigmoid) + gate(3, tf.nn.relu))
        right = tf.tanh(gate(4, tf.tanh) * gate(5, tf.sigmoid)) + tf.sigmoid(gate(6, tf.tanh) + gate(7, tf.sigmoid))
        m = tf.tanh(c * tf.tanh(right))
        if self._num_proj is not None:
            m = tf.matmul(m, self.projection_weights)
        return m, tf.nn.rnn_cell.LSTMStateTuple(c, m)


class UGRNNCell(Cell):
    """Update gate RNN cell, h = g * h + (1 - g) * candidate; Collins et al., arXiv:1611.09913.

    Args:
        num_units: Units of the state and of the output.
        initializer: Initializer of the variables; None for the variable scope's.
        forget_bias: Number added to the gate before its sigmoid.
        activation: Activation of the candidate state.
        reuse: True to use variables that exist already in the scope.
    """

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        forget_bias: float = 1.0,
        activation: Activation = tf.tanh,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(num_units, num_units, reuse)
        self._num_units = num_units
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._activation = activation
        self._linear: Optional[_Linear] = None

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: State, `[batch, num_units]`.

        Returns:
            Output and next state, the same `[batch, num_units]` tensor.
        """
        columns(inputs)  # raises if the input size isn't known
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            both = tf.concat([inputs, state], 1)
            if self._linear is None:
                self._linear = _Linear(both, 2 * self._num_units, True)
            gate, candidate = tf.split(self._linear(both), 2, 1)
            gate = tf.sigmoid(gate + self._forget_bias)
            state = gate * state + (1.0 - gate) * self._activation(candidate)
        return state, state


class IntersectionRNNCell(Cell):
    """Intersection RNN cell, with highways for input and state; Collins et al., arXiv:1611.09913.

    Args:
        num_units: Units of the state and of the output.
        num_in_proj: Must be set if the input size differs from `num_units`; inputs are then projected to `num_units`.
        initializer: Initializer of the variables; None for the variable scope's.
        forget_bias: Number added to both gates before their sigmoid.
        y_activation: Activation of the candidate output.
        reuse: True to use variables that exist already in the scope.
    """

    def __init__(
        self,
        num_units: int,
        num_in_proj: Optional[int] = None,
        initializer: Any = None,
        forget_bias: float = 1.0,
        y_activation: Activation = tf.nn.relu,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(num_units, num_units, reuse)
        self._num_units = num_units
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._num_input_proj = num_in_proj
        self._y_activation = y_activation
        self._projection: Optional[_Linear] = None
        self._linear: Optional[_Linear] = None

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: State, `[batch, num_units]`.

        Returns:
            Output and next state, `[batch, num_units]` each.

        Raises:
            ValueError: `input_size` isn't `num_units`, and `num_in_proj` isn't set.
        """
        input_size = columns(inputs)
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            if input_size != self._num_units:
                if not self._num_input_proj:
                    raise ValueError(
                        "Must have input size == output size for Intersection RNN. "
                        "To fix, num_in_proj should be set to num_units at cell init."
                    )
                with tf.variable_scope("in_projection"):
                    if self._projection is None:
                        self._projection = _Linear(inputs, self._num_units, True)
                    inputs = self._projection(inputs)
            both = tf.concat([inputs, state], 1)
            if self._linear is None:
                self._linear = _Linear(both, 4 * self._num_units, True)
            state_gate, h, output_gate, y = tf.split(self._linear(both), 4, 1)
            state_gate = tf.sigmoid(state_gate + self._forget_bias)
            output_gate = tf.sigmoid(output_gate + self._forget_bias)
            output = output_gate * inputs + (1.0 - output_gate) * self._y_activation(y)
            return output, state_gate * state + (1.0 - state_gate) * tf.tanh(h)


class SRUCell(LayerCell):
    """Simple recurrent unit, whose gates see the input alone; Lei et al., arXiv:1709.02755.

    Args:
        num_units: Units of the state and of the output.
        activation: Activation of the output; None for tanh.
        reuse: True to use variables that exist already in the scope.
        name: Name of the layer.
        kwargs: Arguments of `tf.layers.Layer`.
    """

    def __init__(
        self,
        num_units: int,
        activation: Optional[Activation] = None,
        reuse: Optional[bool] = None,
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, num_units, reuse, name=name, **kwargs)
        self._num_units = num_units
        self._activation = activation or tf.tanh

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables, for inputs of shape `[batch, input_size]`."""
        self._kernel = self.add_weight("kernel", [depth(inputs_shape), 4 * self._num_units])
        self._bias = self.add_weight("bias", [2 * self._num_units], initializer=tf.zeros_initializer())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: State, `[batch, num_units]`.

        Returns:
            Output and next state, `[batch, num_units]` each.
        """
        candidate, forget, reset, skipped = tf.split(tf.matmul(inputs, self._kernel), 4, 1)
        gates = tf.sigmoid(tf.nn.bias_add(tf.concat([forget, reset], 1), self._bias))
        forget, reset = tf.split(gates, 2, 1)
        c = forget * state + (1.0 - forget) * candidate
        return reset * self._activation(c) + (1.0 - reset) * skipped, c


class _KerasCell(LayerCell):
    """Cell whose activation and initializers may be named as in Keras.

    Args:
        units: Units of the state and of the output.
        activation: Keras's name of an activation, or a function.
        kernel_initializer: Keras's name of an initializer, or an initializer.
        bias_initializer: Keras's name of an initializer, or an initializer.
        name: Name of the layer.
        dtype: Type of the variables.
        kwargs: Arguments of `tf.layers.Layer`.
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "ones",
        name: Optional[str] = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, units, name=name, dtype=dtype, **kwargs)
        self.units = units
        self.activation = tf.keras.activations.get(activation)
        self.kernel_initializer = tf.keras.initializers.get(kernel_initializer)
        self.bias_initializer = tf.keras.initializers.get(bias_initializer)


class MinimalRNNCell(_KerasCell):
    """Minimal RNN cell, which embeds its input and has one gate; Chen, arXiv:1711.06788.

    Args:
        units: Units of the state and of the output.
        activation: Keras's name of the embedding's activation, or a function.
        kernel_initializer: Keras's name of an initializer, or an initializer.
        bias_initializer: Keras's name of an initializer, or an initializer.
        name: Name of the layer.
        dtype: Type of the variables.
        kwargs: Arguments of `tf.layers.Layer`.
    """

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables, for inputs of shape `[batch, input_size]`."""
        rows = depth(inputs_shape) + 2 * self.units
        self.kernel = self.add_weight("kernel", [rows, self.units], initializer=self.kernel_initializer)
        self.bias = self.add_weight("bias", [self.units], initializer=self.bias_initializer)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: State, `[batch, units]`.

        Returns:
            Output and next state, the same `[batch, units]` tensor.
        """
        embedding, gate_weights = tf.split(self.kernel, [columns(inputs), 2 * self.units], 0)
        embedded = self.activation(tf.matmul(inputs, embedding))
        gate = tf.matmul(tf.concat([embedded, state], 1), gate_weights)
        gate = tf.sigmoid(tf.nn.bias_add(gate, self.bias))
        state = gate * state + (1 - gate) * embedded
        return state, state


class CFNCell(_KerasCell):
    """Chaos-free network cell, whose state decays to zero without input; Laurent and von Brecht, arXiv:1612.06212.

    Args:
        units: Units of the state and of the output.
        activation: Keras's name of the activation of state and inputs, or a function.
        kernel_initializer: Keras's name of an initializer, or an initializer.
        bias_initializer: Keras's name of an initializer, or an initializer.
        name: Name of the layer.
        dtype: Type of the variables.
        kwargs: Arguments of `tf.layers.Layer`.
    """

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables, for inputs of shape `[batch, input_size]`."""
        units, initializer = self.units, self.kernel_initializer
        self.kernel = self.add_weight("kernel", [depth(inputs_shape), 3 * units], initializer=initializer)
        self.recurrent_kernel = self.add_weight("recurrent_kernel", [units, 2 * units], initializer=initializer)
        self.bias = self.add_weight("bias", [2 * units], initializer=self.bias_initializer)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: State, `[batch, units]`.

        Returns:
            Output and next state, the same `[batch, units]` tensor.
        """
        to_gates, to_state = tf.split(self.kernel, [2 * self.units, self.units], 1)
        gates = tf.matmul(state, self.recurrent_kernel) + tf.matmul(inputs, to_gates)
        forget, shut = tf.split(tf.sigmoid(tf.nn.bias_add(gates, self.bias)), 2, 1)
        candidate = self.activation(tf.matmul(inputs, to_state))
        state = forget * self.activation(state) + (1 - shut) * candidate
        return state, state
