# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The recurrent networks of cuDNN, composed of TensorFlow's ops, for machines without a GPU."""

from __future__ import annotations

from typing import Any, Optional

import tf1mem.v1 as tf
from tf1mem.v1.contrib.cudnn_rnn.layout import GATES, Layout


class _Step(tf.nn.rnn_cell.RNNCell):  # type: ignore[misc, name-defined]
    """Computes a step with cuDNN's weights: its order of gates, and separate biases for inputs and state."""

    def __init__(self, layout: Layout, weights: Any, biases: Any) -> None:
        super().__init__()
        gates = GATES[layout.rnn_mode]
        self._layout = layout
        self._from_inputs = tf.transpose(tf.concat(weights[:gates], 0))
        self._from_before = tf.transpose(tf.concat(weights[gates : 2 * gates], 0))
        self._projection = weights[2 * gates :]
        self._biases = tf.concat(biases[:gates], 0), tf.concat(biases[gates:], 0)

    @property
    def state_size(self) -> Any:
        """Returns the size of a `[batch, num_units]` state; for an LSTM also that of `h`, `[batch, output_size]`."""
        units, output_size = self._layout.num_units, self._layout.output_size
        return tf.nn.rnn_cell.LSTMStateTuple(units, output_size) if self._layout.rnn_mode == "lstm" else units

    @property
    def output_size(self) -> int:
        """Returns the size of a `[batch, output_size]` output, `num_proj` or `num_units`."""
        return self._layout.output_size

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        mode = self._layout.rnn_mode
        previous = state.h if mode == "lstm" else state
        from_inputs = tf.nn.bias_add(tf.matmul(inputs, self._from_inputs), self._biases[0])
        from_state = tf.nn.bias_add(tf.matmul(previous, self._from_before), self._biases[1])
        if mode == "gru":
            reset, update, new = tf.split(from_inputs, 3, 1)
            reset_before, update_before, new_before = tf.split(from_state, 3, 1)
            update = tf.sigmoid(update + update_before)
            new = tf.tanh(new + tf.sigmoid(reset + reset_before) * new_before)
            state = (1 - update) * new + update * state
            return state, state
        if mode != "lstm":
            state = (tf.nn.relu if mode == "rnn_relu" else tf.tanh)(from_inputs + from_state)
            return state, state
        i, f, j, o = tf.split(from_inputs + from_state, 4, 1)
        c = tf.sigmoid(f) * state.c + tf.sigmoid(i) * tf.tanh(j)
        h = tf.sigmoid(o) * tf.tanh(c)
        if self._projection:
            h = tf.matmul(h, self._projection[0], transpose_b=True)
        return h, tf.nn.rnn_cell.LSTMStateTuple(c, h)


def net(
    layout: Layout,
    inputs: Any,
    input_h: Any,
    input_c: Any,
    params: Any,
    training: bool = True,
    sequence_lengths: Any = None,
    time_major: bool = True,
    dropout: float = 0.0,
    seed: Optional[int] = None,
) -> Any:
    """Runs a stacked recurrent network over a sequence, layer by layer.

    Args:
        layout: `Layout` of the network.
        inputs: `[time, batch, input_size]` float tensor, or `[batch, time, input_size]` without `time_major`.
        input_h: `[num_layers * directions, batch, output_size]` initial `h`, the output before the first step.
        input_c: `[num_layers * directions, batch, num_units]` initial cell state of an LSTM; other modes return it
            unchanged.
        params: `[layout.size()]` vector of all weights and biases.
        training: True to apply dropout.
        sequence_lengths: `[batch]` integer tensor of the sequences' lengths; None if all have full length.
        time_major: True if the time dimension comes first.
        dropout: Fraction of a layer's inputs to drop, from 0 to 1; the first layer has no dropout.
        seed: Seed of the dropout.

    Returns:
        Outputs, `[time, batch, directions * output_size]` or batch first like `inputs`, and the final `h` and `c`, of
        the shapes of `input_h` and `input_c`.
    """
    weights, biases = (layout.grouped_by_layer(parts) for parts in layout.split(params))
    cells = [_Step(layout, *each) for each in zip(weights, biases)]
    states = tf.unstack(input_h)
    lstm = layout.rnn_mode == "lstm"
    if lstm:
        states = [tf.nn.rnn_cell.LSTMStateTuple(c, h) for c, h in zip(tf.unstack(input_c), states)]
    last = []
    for layer in range(layout.num_layers):
        if layer and training and dropout:
            inputs = tf.nn.dropout(inputs, rate=dropout, seed=seed)
        at = layer * layout.directions
        with tf.variable_scope(f"layer_{layer}"):
            if layout.directions == 1:
                inputs, state = tf.nn.dynamic_rnn(
                    cells[at], inputs, sequence_lengths, states[at], time_major=time_major
                )
                last.append(state)
            else:
                both, pair = tf.nn.bidirectional_dynamic_rnn(
                    *cells[at : at + 2], inputs, sequence_lengths, *states[at : at + 2], time_major=time_major
                )
                inputs = tf.concat(both, 2)
                last += pair
    if lstm:
        return inputs, tf.stack([state.h for state in last]), tf.stack([state.c for state in last])
    return inputs, tf.stack(last), input_c
