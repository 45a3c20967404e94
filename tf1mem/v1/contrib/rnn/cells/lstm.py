# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""LSTM cells of one kind and another."""

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
    """An LSTM that takes in as much as it forgets.

    Args:
        num_units: Columns of what it remembers.
        use_peepholes: Whether its gates see that.
        initializer: Has no effect; the variable scope's holds.
        num_proj: Columns that its output is projected to; None doesn't.
        proj_clip: Largest absolute value of the projected.
        num_unit_shards: Variables that make up the matrix.
        num_proj_shards: Variables that make up the projection.
        forget_bias: Added to the forget gate.
        state_is_tuple: Whether a state is a pair of tensors, and not both side by side.
        activation: Of what is taken in and given.
        reuse: Whether the variables are there already.
        layer_norm: Whether gates are normalized.
        norm_gain: What gamma begins with.
        norm_shift: What beta begins with.
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
        """Go one step on."""
        units = self._num_units
        given = units if self._num_proj is None else self._num_proj
        c_prev, m_prev = state if self._state_is_tuple else tf.split(state, [units, given], 1)
        dtype = inputs.dtype
        weights = in_shards("W", [columns(inputs) + given, 3 * units], dtype, self._num_unit_shards)
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
    """An LSTM with layer normalization, peepholes and a projection, each if asked for.

    Args:
        num_units: Columns of what it remembers.
        use_peepholes: Whether its gates see that.
        cell_clip: Largest absolute value of what it remembers.
        initializer: Of the variables; None is the variable scope's.
        num_proj: Columns that its output is projected to; None doesn't.
        proj_clip: Largest absolute value of the projected.
        forget_bias: Added to the forget gate.
        activation: Of what is taken in and given; None is tanh.
        layer_norm: Whether gates are normalized; then biases have no effect.
        norm_gain: What gamma begins with.
        norm_shift: What beta begins with.
        reuse: Whether the variables are there already.
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
        """Go one step on."""
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
    """An LSTM with layer normalization, and dropout of what is taken in.

    Args:
        num_units: Columns of what it remembers.
        forget_bias: Added to the forget gate.
        input_size: Has no effect.
        activation: Of what is taken in and given.
        layer_norm: Whether gates are normalized; else there are biases.
        norm_gain: What gamma begins with.
        norm_shift: What beta begins with.
        dropout_keep_prob: Share of what is taken in that is kept.
        dropout_prob_seed: Seed of the dropout.
        reuse: Whether the variables are there already.
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
        """Go one step on."""
        c, h = state
        i, j, f, o = tf.split(self._linear(tf.concat([inputs, h], 1)), 4, 1)
        if self._layer_norm:
            gates = zip((i, j, f, o), ("input", "transform", "forget", "output"))
            i, j, f, o = (self._norm(gate, name) for gate, name in gates)
        taken_in = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            taken_in = tf.nn.dropout(taken_in, self._keep_prob, seed=self._seed)
        c = c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * taken_in
        if self._layer_norm:
            c = self._norm(c, "state")
        h = self._activation(c) * tf.sigmoid(o)
        return h, LSTMStateTuple(c, h)

    def _linear(self, args: Any) -> Any:
        size = 4 * self._num_units
        result = tf.matmul(args, tf.get_variable("kernel", [columns(args), size], args.dtype))
        # With the scope's initializer, which needn't be zeros.
        return result if self._layer_norm else tf.nn.bias_add(result, tf.get_variable("bias", [size], args.dtype))

    def _norm(self, inputs: Any, scope: str) -> Any:
        return normalized(inputs, scope, self._norm_gain, self._norm_shift)


class WeightNormLSTMCell(Cell):
    """An LSTM whose weights have a length of their own.

    Args:
        num_units: Columns of what it remembers.
        norm: Whether they have.
        use_peepholes: Whether its gates see what it remembers.
        cell_clip: Largest absolute value of what it remembers.
        initializer: Of the variables; None is the variable scope's.
        num_proj: Columns that its output is projected to; None doesn't.
        proj_clip: Largest absolute value of the projected.
        forget_bias: Added to the forget gate.
        activation: Of what is taken in and given; None is tanh.
        reuse: Whether the variables are there already.
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
        # As in 1.15, where it names the layer's scope by that, too: variables are in wn_lstm_cell/wn_lstm_cell.
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
        """Go one step on."""
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
            # Once, and not in each step of a loop.
            with tf.control_dependencies(None):
                parts = tf.split(linear.weights, [columns(each) for each in args], 0)
                lengths = [tf.get_variable(f"norm_{n}", [size], part.dtype) for n, part in enumerate(parts)]
                each_normalized = [tf.nn.l2_normalize(part, axis=0) * g for part, g in zip(parts, lengths)]
                linear.weights = tf.concat(each_normalized, axis=0)
        return linear(args)


class GLSTMCell(Cell):
    """An LSTM of groups, each of which sees a share of inputs and units.

    Args:
        num_units: Columns of what it remembers.
        initializer: Of the variables; None is the variable scope's.
        num_proj: Columns that its output is projected to; None doesn't.
        number_of_groups: Groups.
        forget_bias: Added to the forget gate.
        activation: Of what is given.
        reuse: Whether the variables are there already.

    Raises:
        ValueError: Groups would be unequal.
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
                f"num_units: {num_units} makes no {number_of_groups} equal groups. Give a multiple of number_of_groups."
            )
        if num_proj and num_proj % number_of_groups != 0:
            raise ValueError(
                f"num_proj: {num_proj} makes no {number_of_groups} equal groups. Give a multiple of number_of_groups."
            )
        self._num_units = num_units
        self._initializer = initializer
        self._num_proj = num_proj
        self._forget_bias = forget_bias
        self._activation = activation
        self._number_of_groups = number_of_groups
        self._group_shape = [(num_proj or num_units) // number_of_groups, num_units // number_of_groups]
        # A group's matrix, and the projection's, once they are made.
        self._matrices: dict[str, _Linear] = {}

    def call(self, inputs: Any, state: Any) -> Any:
        """Go one step on."""
        c_prev, m_prev = state
        input_size = tf.dimension_value(inputs.shape[1])
        if input_size is None:
            raise ValueError("input size must be statically known")
        groups = self._number_of_groups
        if input_size % groups != 0:
            raise ValueError(f"input size ({input_size}) must be divisible by number_of_groups ({groups})")
        from_inputs, from_before = input_size // groups, self._group_shape[0]
        batch = batch_of(inputs)
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            parts = []
            for group in range(groups):
                with tf.variable_scope(f"group{group}"):
                    seen = [
                        tf.slice(tensor, [0, group * size], [batch, size], f"GLSTM_group{group}_input_generation")
                        for tensor, size in ((inputs, from_inputs), (m_prev, from_before))
                    ]
                    matrix = self._matrix(f"group{group}", tf.concat(seen, axis=1), 4 * self._group_shape[1])
                    parts.append(tf.split(matrix, 4, 1))
            zeros = tf.constant_initializer(0.0, dtype=inputs.dtype)
            biases = [tf.get_variable(f"bias_{gate}", [self._num_units], inputs.dtype, zeros) for gate in "ijfo"]
            i, j, f, o = (tf.nn.bias_add(tf.concat(gate, 1), bias) for gate, bias in zip(zip(*parts), biases))
        # tanh, whatever the activation is.
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
    """An LSTM whose units open by a rhythm of their own; an input is a pair of times and values.

    Args:
        num_units: Columns of what it remembers.
        use_peepholes: Whether its gates see that.
        leak: Share of a closed unit that changes all the same.
        ratio_on: Share of its period that a unit is open.
        trainable_ratio_on: Whether that is learned.
        period_init_min: Least period to begin with, in the unit of the times.
        period_init_max: Greatest.
        reuse: Whether the variables are there already.
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
        """Go one step on."""
        c_prev, h_prev = state
        time, x = inputs
        units = self._num_units
        seen = [x, h_prev]
        # In this order and these scopes, by which the ops are counted that the initializers' seeds are.
        with tf.variable_scope("mask_gates"):
            masks = tf.sigmoid(self._matrix("mask_gates", [*seen, c_prev] if self._use_peepholes else seen, 2 * units))
            input_gate, forget_gate = tf.split(masks, 2, 1)
        with tf.variable_scope("new_input"):
            new_input = tf.tanh(self._matrix("new_input", seen, units))
        c = c_prev * forget_gate + input_gate * new_input
        with tf.variable_scope("output_gate"):
            opened = tf.sigmoid(self._matrix("output_gate", [*seen, c] if self._use_peepholes else seen, units))
        h = tf.tanh(c) * opened
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
    """How much of its period a unit has been through; its gradient is the gradient of time."""
    shifted = time - tf.cast(phase, time.dtype)
    period = tf.cast(period, time.dtype)
    within = tf.stop_gradient(tf.mod(shifted, period) - shifted) + shifted
    return tf.cast(within / period, tf.float32)
