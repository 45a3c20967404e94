# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""LSTM cells: coupled gates, layer and weight normalization, groups, phases."""

from __future__ import annotations

from typing import Any, Callable, Optional

import tf1mem.v1 as tf
from tf1mem.v1.contrib.rnn.cells.base import (
    Cell,
    batch_of,
    clipped,
    columns,
    in_shards,
    lstm_state,
    normalized,
    uniform_log,
    weights_by_name,
)
from tf1mem.v1.contrib.rnn.core_rnn_cell import _Linear

Activation = Callable[[Any], Any]
LSTMStateTuple = tf.nn.rnn_cell.LSTMStateTuple


class CoupledInputForgetGateLSTMCell(Cell):
    """LSTM cell with coupled input and forget gates, i = 1 - f; Greff et al., arXiv:1503.04069.

    Args:
        num_units: Units of the cell state.
        use_peepholes: True to let the gates see the cell state, by a weight for each unit.
        initializer: Ignored, as in TensorFlow 1.15: the variable scope's initializer is used.
        num_proj: Units that the output is projected to; None for no projection.
        proj_clip: Largest absolute value of the projected output; None for no limit.
        num_unit_shards: Number of variables that the kernel is split into.
        num_proj_shards: Number of variables that the projection is split into.
        forget_bias: Number added to the forget gate before its sigmoid.
        state_is_tuple: True to make a state an `LSTMStateTuple`, False for a `[batch, num_units + output_size]` tensor.
        activation: Activation of the cell input and of the cell state in the output.
        reuse: True to use variables that exist already in the scope.
        layer_norm: True to normalize the gates and the cell state.
        norm_gain: Initial value of gamma.
        norm_shift: Initial value of beta.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        initializer: Any = None,
        num_proj: Optional[int] = None,
        proj_clip: Optional[float] = None,
        num_unit_shards: int = 1,
        num_proj_shards: int = 1,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Activation = tf.tanh,
        reuse: Optional[bool] = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
    ) -> None:
        state_size = lstm_state(num_units, num_proj)
        super().__init__(state_size if state_is_tuple else sum(state_size), num_proj or num_units, reuse)
        if not state_is_tuple:
            tf.logging.warn("%s: Using a concatenated state is slower. Use state_is_tuple=True.", self)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: LSTMStateTuple of cell state, `[batch, num_units]`, and output, `[batch, output_size]`; without
                `state_is_tuple` their concatenation along columns.

        Returns:
            Output, `[batch, output_size]`, whose size is `num_proj` or else `num_units`; and the next state.
        """
        units = self._num_units
        output_size = units if self._num_proj is None else self._num_proj
        c_prev, m_prev = state if self._state_is_tuple else tf.split(state, [units, output_size], 1)
        dtype = inputs.dtype
        weights = in_shards("W", [columns(inputs) + output_size, 3 * units], dtype, self._num_unit_shards)
        biases = tf.get_variable("B", [3 * units], dtype, tf.zeros_initializer())
        gates = tf.matmul(tf.concat([inputs, m_prev], 1), weights)
        if not self._layer_norm:
            gates = tf.nn.bias_add(gates, biases)
        j, f, o = tf.split(gates, 3, 1)
        if self._layer_norm:
            j, f, o = (self._norm(gate, name) for gate, name in zip((j, f, o), ("transform", "forget", "output")))
        if self._use_peepholes:
            peepholes = weights_by_name("W_F_diag W_O_diag", units, dtype)
            f = f + peepholes["W_F_diag"] * c_prev
        forget = tf.sigmoid(f + self._forget_bias)
        c = forget * c_prev + (1 - forget) * self._activation(j)
        if self._layer_norm:
            c = self._norm(c, "state")
        if self._use_peepholes:
            o = o + peepholes["W_O_diag"] * c
        m = tf.sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            m = tf.matmul(m, in_shards("W_P", [units, self._num_proj], dtype, self._num_proj_shards))
            m = clipped(m, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else tf.concat([c, m], 1)

    def _norm(self, inputs: Any, scope: str) -> Any:
        return normalized(inputs, scope, self._norm_gain, self._norm_shift)


class LayerNormLSTMCell(Cell):
    """LSTM cell with optional layer normalization (Ba et al., arXiv:1607.06450), peepholes and projection.

    Args:
        num_units: Units of the cell state.
        use_peepholes: True to let the gates see the cell state, by a weight for each unit.
        cell_clip: Largest absolute value of the cell state; None for no limit.
        initializer: Initializer of the variables; None for the variable scope's.
        num_proj: Units that the output is projected to; None for no projection.
        proj_clip: Largest absolute value of the projected output; None for no limit.
        forget_bias: Number added to the forget gate before its sigmoid.
        activation: Activation of the cell input and of the cell state in the output; None for tanh.
        layer_norm: True to normalize the gates and the cell state; the bias is left out then.
        norm_gain: Initial value of gamma.
        norm_shift: Initial value of beta.
        reuse: True to use variables that exist already in the scope.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: Optional[float] = None,
        initializer: Any = None,
        num_proj: Optional[int] = None,
        proj_clip: Optional[float] = None,
        forget_bias: float = 1.0,
        activation: Optional[Activation] = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(lstm_state(num_units, num_proj), num_proj or num_units, reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._forget_bias = forget_bias
        self._activation = activation or tf.tanh
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: LSTMStateTuple of cell state, `[batch, num_units]`, and output, `[batch, output_size]`.

        Returns:
            Output, `[batch, output_size]`, whose size is `num_proj` or else `num_units`; and the next state.
        """
        c_prev, m_prev = state
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer) as scope:
            linear = _Linear([inputs, m_prev], 4 * self._num_units, True)
            both = [inputs, m_prev]
            i, j, f, o = tf.split(linear.product(both) if self._layer_norm else linear(both), 4, 1)
            if self._layer_norm:
                gates = zip((i, j, f, o), ("input", "transform", "forget", "output"))
                i, j, f, o = (self._norm(gate, name) for gate, name in gates)
            if self._use_peepholes:
                with tf.variable_scope(scope):
                    peepholes = weights_by_name("w_f_diag w_i_diag w_o_diag", self._num_units, inputs.dtype)
                f = f + peepholes["w_f_diag"] * c_prev
                i = i + peepholes["w_i_diag"] * c_prev
            c = tf.sigmoid(f + self._forget_bias) * c_prev + tf.sigmoid(i) * self._activation(j)
            if self._layer_norm:
                c = self._norm(c, "state")
            c = clipped(c, self._cell_clip)
            if self._use_peepholes:
                o = o + peepholes["w_o_diag"] * c
            m = tf.sigmoid(o) * self._activation(c)
            if self._num_proj is not None:
                with tf.variable_scope("projection"):
                    m = _Linear(m, self._num_proj, False)(m)
                m = clipped(m, self._proj_clip)
        return m, LSTMStateTuple(c, m)

    def _norm(self, inputs: Any, scope: str) -> Any:
        return normalized(inputs, scope, self._norm_gain, self._norm_shift)


class LayerNormBasicLSTMCell(Cell):
    """LSTM cell with layer normalization (arXiv:1607.06450) and recurrent dropout (Semeniuta et al., arXiv:1603.05118).

    Args:
        num_units: Units of the cell state.
        forget_bias: Number added to the forget gate before its sigmoid.
        input_size: Ignored, as in TensorFlow 1.15.
        activation: Activation of the cell input and of the cell state in the output.
        layer_norm: True to normalize the gates and the cell state; else a bias is added.
        norm_gain: Initial value of gamma.
        norm_shift: Initial value of beta.
        dropout_keep_prob: Share of the cell input that dropout keeps, 0 to 1.
        dropout_prob_seed: Seed of dropout.
        reuse: True to use variables that exist already in the scope.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: Any = None,
        activation: Activation = tf.tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: Optional[int] = None,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(lstm_state(num_units), num_units, reuse)
        if input_size is not None:
            tf.logging.warn("%s: input_size does nothing. Leave it out.", self)
        self._num_units = num_units
        self._activation = activation
        self._forget_bias = forget_bias
        self._keep_prob = dropout_keep_prob
        self._seed = dropout_prob_seed
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: LSTMStateTuple of cell state and output, `[batch, num_units]` both.

        Returns:
            Output, `[batch, num_units]`, and the next state.
        """
        c, h = state
        i, j, f, o = tf.split(self._linear(tf.concat([inputs, h], 1)), 4, 1)
        if self._layer_norm:
            gates = zip((i, j, f, o), ("input", "transform", "forget", "output"))
            i, j, f, o = (self._norm(gate, name) for gate, name in gates)
        cell_input = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            cell_input = tf.nn.dropout(cell_input, self._keep_prob, seed=self._seed)
        c = c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * cell_input
        if self._layer_norm:
            c = self._norm(c, "state")
        h = self._activation(c) * tf.sigmoid(o)
        return h, LSTMStateTuple(c, h)

    def _linear(self, args: Any) -> Any:
        size = 4 * self._num_units
        result = tf.matmul(args, tf.get_variable("kernel", [columns(args), size], args.dtype))
        # The bias uses the scope's initializer, which may differ from zeros.
        return result if self._layer_norm else tf.nn.bias_add(result, tf.get_variable("bias", [size], args.dtype))

    def _norm(self, inputs: Any, scope: str) -> Any:
        return normalized(inputs, scope, self._norm_gain, self._norm_shift)


class WeightNormLSTMCell(Cell):
    """LSTM cell with weight normalization, w = g * v / |v|; Salimans and Kingma, arXiv:1602.07868.

    Args:
        num_units: Units of the cell state.
        norm: True to normalize the weights; False for a plain LSTM cell.
        use_peepholes: True to let the gates see the cell state, by a weight for each unit.
        cell_clip: Largest absolute value of the cell state; None for no limit.
        initializer: Initializer of the variables; None for the variable scope's.
        num_proj: Units that the output is projected to; None for no projection.
        proj_clip: Largest absolute value of the projected output; None for no limit.
        forget_bias: Number added to the forget gate before its sigmoid.
        activation: Activation of the cell input and of the cell state in the output; None for tanh.
        reuse: True to use variables that exist already in the scope.
    """

    def __init__(
        self,
        num_units: int,
        norm: bool = True,
        use_peepholes: bool = False,
        cell_clip: Optional[float] = None,
        initializer: Any = None,
        num_proj: Optional[int] = None,
        proj_clip: Optional[float] = None,
        forget_bias: float = 1,
        activation: Optional[Activation] = None,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(lstm_state(num_units, num_proj), num_proj or num_units, reuse)
        # As in 1.15, this is the name of the layer's scope, too: variables are in wn_lstm_cell/wn_lstm_cell.
        self._scope = "wn_lstm_cell"
        self._num_units = num_units
        self._norm = norm
        self._initializer = initializer
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._activation = activation or tf.tanh
        self._forget_bias = forget_bias

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: LSTMStateTuple of cell state, `[batch, num_units]`, and output, `[batch, output_size]`.

        Returns:
            Output, `[batch, output_size]`, whose size is `num_proj` or else `num_units`; and the next state.
        """
        c, h = state
        with tf.variable_scope("wn_lstm_cell", initializer=self._initializer):
            i, j, f, o = tf.split(self._linear([inputs, h], 4 * self._num_units, bias=True), 4, 1)
            if self._use_peepholes:
                peepholes = weights_by_name("w_f_diag w_i_diag w_o_diag", self._num_units, inputs.dtype)
                f = f + peepholes["w_f_diag"] * c
                i = i + peepholes["w_i_diag"] * c
            c = c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * self._activation(j)
            c = clipped(c, self._cell_clip)
            if self._use_peepholes:
                o = o + peepholes["w_o_diag"] * c
            h = tf.sigmoid(o) * self._activation(c)
            if self._num_proj is not None:
                with tf.variable_scope("projection"):
                    h = self._linear([h], self._num_proj, bias=False)
                h = clipped(h, self._proj_clip)
        return h, LSTMStateTuple(c, h)

    def _linear(self, args: Any, size: int, bias: bool) -> Any:
        linear = _Linear(args, size, bias)
        if self._norm:
            # Computed once, outside of loops.
            with tf.control_dependencies(None):
                parts = tf.split(linear.weights, [columns(each) for each in args], 0)
                lengths = [tf.get_variable(f"norm_{n}", [size], part.dtype) for n, part in enumerate(parts)]
                each_normalized = [tf.nn.l2_normalize(part, axis=0) * g for part, g in zip(parts, lengths)]
                linear.weights = tf.concat(each_normalized, axis=0)
        return linear(args)


class GLSTMCell(Cell):
    """LSTM cell of independent groups, each with a share of inputs and units; Kuchaiev and Ginsburg, arXiv:1703.10722.

    Args:
        num_units: Units of the cell state.
        initializer: Initializer of the variables; None for the variable scope's.
        num_proj: Units that the output is projected to; None for no projection.
        number_of_groups: Number of groups, a divisor of `num_units`, `num_proj` and the input size.
        forget_bias: Number added to the forget gate before its sigmoid.
        activation: Activation of the cell state in the output.
        reuse: True to use variables that exist already in the scope.

    Raises:
        ValueError: `num_units` or `num_proj` is no multiple of `number_of_groups`.
    """

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        num_proj: Optional[int] = None,
        number_of_groups: int = 1,
        forget_bias: float = 1.0,
        activation: Activation = tf.tanh,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(lstm_state(num_units, num_proj), num_proj or num_units, reuse)
        if num_units % number_of_groups != 0:
            raise ValueError(
                f"num_units: {num_units} isn't divisible by number_of_groups ({number_of_groups}). Give a multiple."
            )
        if num_proj and num_proj % number_of_groups != 0:
            raise ValueError(
                f"num_proj: {num_proj} isn't divisible by number_of_groups ({number_of_groups}). Give a multiple."
            )
        self._num_units = num_units
        self._initializer = initializer
        self._num_proj = num_proj
        self._forget_bias = forget_bias
        self._activation = activation
        self._number_of_groups = number_of_groups
        self._group_shape = [(num_proj or num_units) // number_of_groups, num_units // number_of_groups]
        # Scope -> matrix of a group or of the projection.
        self._matrices: dict[str, _Linear] = {}

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, input_size]` float tensor.
            state: LSTMStateTuple of cell state, `[batch, num_units]`, and output, `[batch, output_size]`.

        Returns:
            Output, `[batch, output_size]`, whose size is `num_proj` or else `num_units`; and the next state.

        Raises:
            ValueError: `input_size` isn't known, or is no multiple of `number_of_groups`.
        """
        c_prev, m_prev = state
        input_size = tf.dimension_value(inputs.shape[1])
        if input_size is None:
            raise ValueError("input size must be statically known")
        groups = self._number_of_groups
        if input_size % groups != 0:
            raise ValueError(f"input size ({input_size}) must be divisible by number_of_groups ({groups})")
        input_share, output_share = input_size // groups, self._group_shape[0]
        batch = batch_of(inputs)
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            parts = []
            for group in range(groups):
                with tf.variable_scope(f"group{group}"):
                    shares = [
                        tf.slice(tensor, [0, group * size], [batch, size], f"GLSTM_group{group}_input_generation")
                        for tensor, size in ((inputs, input_share), (m_prev, output_share))
                    ]
                    matrix = self._matrix(f"group{group}", tf.concat(shares, axis=1), 4 * self._group_shape[1])
                    parts.append(tf.split(matrix, 4, 1))
            zeros = tf.constant_initializer(0.0, dtype=inputs.dtype)
            biases = [tf.get_variable(f"bias_{gate}", [self._num_units], inputs.dtype, zeros) for gate in "ijfo"]
            i, j, f, o = (tf.nn.bias_add(tf.concat(gate, 1), bias) for gate, bias in zip(zip(*parts), biases))
        # The activation doesn't replace this tanh, as in 1.15.
        c = tf.sigmoid(f + self._forget_bias) * c_prev + tf.sigmoid(i) * tf.tanh(j)
        m = tf.sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            with tf.variable_scope("projection"):
                m = self._matrix("projection", m, self._num_proj)
        return m, LSTMStateTuple(c, m)

    def _matrix(self, key: str, inputs: Any, size: int) -> Any:
        if key not in self._matrices:
            self._matrices[key] = _Linear(inputs, size, False)
        return self._matrices[key](inputs)


class PhasedLSTMCell(Cell):
    """LSTM cell whose units open periodically; Neil et al., arXiv:1610.09513.

    An input is a pair: times `[batch, 1]` and values `[batch, input_size]`.

    Args:
        num_units: Units of the cell state.
        use_peepholes: True to let the gates see the cell state, by a weight for each unit.
        leak: Leak rate, the slope of a closed unit's openness.
        ratio_on: Share of its period in which a unit is open, 0 to 1.
        trainable_ratio_on: True to make `ratio_on` trainable.
        period_init_min: Shortest initial period, in the unit of the times.
        period_init_max: Longest initial period, in the unit of the times.
        reuse: True to use variables that exist already in the scope.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        leak: float = 0.001,
        ratio_on: float = 0.1,
        trainable_ratio_on: bool = True,
        period_init_min: float = 1.0,
        period_init_max: float = 1000.0,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(lstm_state(num_units), num_units, reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._leak = leak
        self._ratio_on = ratio_on
        self._trainable_ratio_on = trainable_ratio_on
        self._period_init_min = period_init_min
        self._period_init_max = period_init_max
        self._matrices: dict[str, _Linear] = {}

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: Pair of times, `[batch, 1]`, and values, `[batch, input_size]`, float tensors.
            state: LSTMStateTuple of cell state and output, `[batch, num_units]` both.

        Returns:
            Output, `[batch, num_units]`, and the next state.
        """
        c_prev, h_prev = state
        time, x = inputs
        units = self._num_units
        both = [x, h_prev]
        # The seed of an initializer is the number of ops before it, so order and scopes are those of 1.15.
        with tf.variable_scope("mask_gates"):
            masks = tf.sigmoid(self._matrix("mask_gates", [*both, c_prev] if self._use_peepholes else both, 2 * units))
            input_gate, forget_gate = tf.split(masks, 2, 1)
        with tf.variable_scope("new_input"):
            new_input = tf.tanh(self._matrix("new_input", both, units))
        c = c_prev * forget_gate + input_gate * new_input
        with tf.variable_scope("output_gate"):
            output_gate = tf.sigmoid(self._matrix("output_gate", [*both, c] if self._use_peepholes else both, units))
        h = tf.tanh(c) * output_gate
        periods = uniform_log(self._period_init_min, self._period_init_max)
        period = tf.get_variable("period", [units], initializer=periods)
        phase = tf.get_variable("phase", [units], initializer=tf.random_uniform_initializer(0.0, period.initial_value))
        ratio_on = tf.get_variable(
            "ratio_on",
            [units],
            initializer=tf.constant_initializer(self._ratio_on),
            trainable=self._trainable_ratio_on,
        )
        openness = self._openness(_cycle_ratio(time, phase, period), ratio_on)
        c = openness * c + (1 - openness) * c_prev
        h = openness * h + (1 - openness) * h_prev
        return h, LSTMStateTuple(c, h)

    def _matrix(self, name: str, args: Any, size: int) -> Any:
        if name not in self._matrices:
            self._matrices[name] = _Linear(args, size, True)
        return self._matrices[name](args)

    def _openness(self, cycle_ratio: Any, ratio_on: Any) -> Any:
        rising = 2 * cycle_ratio / ratio_on
        closing = tf.where(cycle_ratio < ratio_on, 2 - rising, self._leak * cycle_ratio)
        return tf.where(cycle_ratio < 0.5 * ratio_on, rising, closing)


def _cycle_ratio(time: Any, phase: Any, period: Any) -> Any:
    """Returns the share of its period that each unit has passed; gradients treat the modulo as the identity."""
    shifted = time - tf.cast(phase, time.dtype)
    period = tf.cast(period, time.dtype)
    within = tf.stop_gradient(tf.mod(shifted, period) - shifted) + shifted
    return tf.cast(within / period, tf.float32)
