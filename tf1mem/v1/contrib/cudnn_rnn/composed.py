# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What cuDNN computes, of TensorFlow's own ops."""

from __future__ import annotations

from typing import Any, Optional

import tf1mem.v1 as tf
from tf1mem.v1.contrib.cudnn_rnn.layout import GATES, Layout


class _Step(tf.nn.rnn_cell.RNNCell):  # type: ignore[misc, name-defined]
    """A cell of cuDNN's matrices and biases: gates in its order, one bias for inputs and one for what was given."""

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
        units, given = self._layout.num_units, self._layout.given
        return tf.nn.rnn_cell.LSTMStateTuple(units, given) if self._layout.rnn_mode == "lstm" else units

    @property
    def output_size(self) -> int:
        return self._layout.given

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        mode = self._layout.rnn_mode
        before = state.h if mode == "lstm" else state
        seen = tf.nn.bias_add(tf.matmul(inputs, self._from_inputs), self._biases[0])
        remembered = tf.nn.bias_add(tf.matmul(before, self._from_before), self._biases[1])
        if mode == "gru":
            reset, update, new = tf.split(seen, 3, 1)
            reset_before, update_before, new_before = tf.split(remembered, 3, 1)
            update = tf.sigmoid(update + update_before)
            new = tf.tanh(new + tf.sigmoid(reset + reset_before) * new_before)
            state = (1 - update) * new + update * state
            return state, state
        if mode != "lstm":
            state = (tf.nn.relu if mode == "rnn_relu" else tf.tanh)(seen + remembered)
            return state, state
        i, f, j, o = tf.split(seen + remembered, 4, 1)
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
    """Go through a sequence, layer by layer.

    Args:
        layout: What the net is.
        inputs: A tensor of rank 3.
        input_h: What was given before: layers by examples by columns.
        input_c: What an LSTM remembers before, in the same form.
        params: The vector of all weights and biases.
        training: Whether there is dropout.
        sequence_lengths: Steps of each example; None is all.
        time_major: Whether time comes before the examples.
        dropout: Share of what a layer is given by the one below that is left out.
        seed: Of the dropout.

    Returns:
        Outputs; and what was given and remembered last.
    """
    weights, biases = (layout.by_layer(parts) for parts in layout.split(params))
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
