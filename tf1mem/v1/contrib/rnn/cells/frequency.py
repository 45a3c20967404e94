# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Cells that recur over frequencies within each time step."""

from __future__ import annotations

import collections
from typing import Any, Callable, List, Optional, Sequence, Tuple

import tf1mem.v1 as tf
from tf1mem.v1.contrib.rnn.cells.base import Cell, batch_of, clipped, columns, in_shards, weights_by_name


class TimeFreqLSTMCell(Cell):
    """LSTM cell over time and frequency; Sainath and Li, Interspeech 2016.

    The input `[batch, frequencies]` is cut into windows, and each window also sees the output of the window below it.

    Args:
        num_units: Units of the cell state of a window.
        use_peepholes: True to let the gates see the cell state, by a weight for each unit.
        cell_clip: Largest absolute value of the cell state; None for no limit.
        initializer: Ignored, as in TensorFlow 1.15: the variable scope's initializer is used.
        num_unit_shards: Number of variables that the kernel is split into.
        forget_bias: Number added to the forget gate before its sigmoid.
        feature_size: Width of a window, in frequencies.
        frequency_skip: Frequencies from the start of a window to the start of the next.
        reuse: True to use variables that exist already in the scope.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: Optional[float] = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Optional[int] = None,
        frequency_skip: int = 1,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(2 * num_units, num_units, reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, frequencies]` float tensor.
            state: Cell state and output of each window, `[batch, 2 * windows * num_units]`; `state_size` is one's.

        Returns:
            Outputs of all windows, `[batch, windows * num_units]`, and the next state.
        """
        units, dtype = self._num_units, inputs.dtype
        windows = self._make_tf_features(inputs)
        rows = columns(windows[0]) + 2 * units
        weights = in_shards("W", [rows, 4 * units], dtype, self._num_unit_shards)
        biases = tf.get_variable("B", [4 * units], dtype, tf.zeros_initializer())
        peepholes = weights_by_name("W_F_diag W_I_diag W_O_diag", units, dtype) if self._use_peepholes else {}
        below = tf.zeros([batch_of(inputs), units], dtype)
        outputs, states = [], []
        for number, window in enumerate(windows):
            c_prev = tf.slice(state, [0, 2 * number * units], [-1, units])
            m_prev = tf.slice(state, [0, (2 * number + 1) * units], [-1, units])
            features_and_outputs = tf.concat([window, m_prev, below], 1)
            i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(features_and_outputs, weights), biases), 4, 1)
            if peepholes:
                f = f + peepholes["W_F_diag"] * c_prev
                i = i + peepholes["W_I_diag"] * c_prev
            c = tf.sigmoid(f + self._forget_bias) * c_prev + tf.sigmoid(i) * tf.tanh(j)
            c = clipped(c, self._cell_clip)
            if peepholes:
                o = o + peepholes["W_O_diag"] * c
            below = tf.sigmoid(o) * tf.tanh(c)
            outputs.append(below)
            states += [c, below]
        return _concat_columns(outputs), tf.concat(states, 1)

    def _make_tf_features(self, input_feat: Any) -> List[Any]:
        return _windows(input_feat, 0, columns(input_feat), self._feature_size or 0, self._frequency_skip)


def _concat_columns(tensors: Sequence[Any]) -> Any:
    return tensors[0] if len(tensors) == 1 else tf.concat(tensors, 1)


def _windows(inputs: Any, start: int, end: int, size: int, skip: int, offset: int = 0) -> List[Any]:
    count = int((end - start - size) / skip) + 1
    return [tf.slice(inputs, [0, start + offset + i * skip], [-1, size]) for i in range(count)]


class GridLSTMCell(Cell):
    """Grid LSTM cell, with one LSTM over time and one over frequencies; Kalchbrenner et al., arXiv:1507.01526.

    Args:
        num_units: Units of the cell state of a window, for each of the two LSTMs.
        use_peepholes: True to let the gates see the cell states, by a weight for each unit.
        share_time_frequency_weights: True to give both LSTMs the same weights.
        cell_clip: Largest absolute value of the cell states; None for no limit.
        initializer: Ignored, as in TensorFlow 1.15: the variable scope's initializer is used.
        num_unit_shards: Number of variables that each kernel is split into.
        forget_bias: Number added to the forget gates before their sigmoid.
        feature_size: Width of a window, in frequencies.
        frequency_skip: Frequencies from the start of a window to the start of the next.
        num_frequency_blocks: List of the number of windows of each block of frequencies.
        start_freqindex_list: First frequency of each block; None for a single block.
        end_freqindex_list: Frequency after the last of each block.
        couple_input_forget_gates: True to set the forget gates to 1 - input gates.
        state_is_tuple: True to make a state a named tuple; else it is one tensor, `[batch, state_size]`.
        reuse: True to use variables that exist already in the scope.

    Raises:
        ValueError: `num_frequency_blocks` is missing.
    """

    _directions: Tuple[str, ...] = ("",)
    _tuple_name = "GridLSTMStateTuple"

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: Optional[float] = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Optional[int] = None,
        frequency_skip: Optional[int] = None,
        num_frequency_blocks: Optional[Sequence[int]] = None,
        start_freqindex_list: Optional[Sequence[int]] = None,
        end_freqindex_list: Optional[Sequence[int]] = None,
        couple_input_forget_gates: bool = False,
        state_is_tuple: bool = True,
        reuse: Optional[bool] = None,
    ) -> None:
        if num_frequency_blocks is None:
            raise ValueError("Must specify num_frequency_blocks")
        parts = [
            f"{direction}state_f{window:02d}_b{block:02d}_{part}"
            for direction in self._directions
            for block, windows in enumerate(num_frequency_blocks)
            for window in range(int(windows))
            for part in "cm"
        ]
        state_type: Any = collections.namedtuple(self._tuple_name, parts) if state_is_tuple else None  # type: ignore[misc]
        whole = num_units * len(parts)
        super().__init__(state_type(*[num_units] * len(parts)) if state_type else whole, whole, reuse)
        if not state_is_tuple:
            tf.logging.warn("%s: Using a concatenated state is slower. Use state_is_tuple=True.", self)
        self._state_tuple_type = state_type
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._share_time_frequency_weights = share_time_frequency_weights
        self._couple_input_forget_gates = couple_input_forget_gates
        self._state_is_tuple = state_is_tuple
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip
        self._start_freqindex_list = start_freqindex_list
        self._end_freqindex_list = end_freqindex_list
        self._num_frequency_blocks = num_frequency_blocks

    @property
    def state_tuple_type(self) -> Any:
        """Returns the named tuple of a state; None if a state is one `[batch, state_size]` tensor."""
        return self._state_tuple_type

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, frequencies]` float tensor.
            state: Named tuple with cell state and output of each window, `[batch, num_units]` each; without
                `state_is_tuple` their concatenation along columns.

        Returns:
            Outputs over time and frequencies of all windows, `[batch, 2 * windows * num_units]`, and the next state.
        """
        outputs, states = self._over_blocks(self._make_tf_features(inputs), state, "state")
        if self._state_tuple_type is None:
            return tf.concat(outputs, 1), tf.concat(states, 1)
        return tf.concat(outputs, 1), self._state_tuple_type(*states)

    def _over_blocks(self, blocks: Any, state: Any, prefix: str) -> Tuple[List[Any], List[Any]]:
        outputs, states = [], []
        for block, windows in enumerate(blocks):
            more_outputs, more_states = self._compute(windows, block, state, prefix)
            outputs += more_outputs
            states += more_states
        return outputs, states

    def _previous_state(self, state: Any, prefix: str, window: int, block: int) -> Tuple[Any, Any]:
        """Returns the cell state and output of a window at the step before, each `[batch, num_units]`."""
        if self._state_is_tuple:
            name = f"{prefix}_f{window:02d}_b{block:02d}_"
            return getattr(state, name + "c"), getattr(state, name + "m")
        units = self._num_units
        # Uses the first block's state for every block, as in 1.15.
        at = (2 * window * units, (2 * window + 1) * units)
        return tf.slice(state, [0, at[0]], [-1, units]), tf.slice(state, [0, at[1]], [-1, units])

    def _gates(self, kind: str, block: int, rows: int, dtype: Any) -> Callable[[Any], Any]:
        """Returns a function that computes the gates of one LSTM, "f" over frequencies or "t" over time."""
        coupled = self._couple_input_forget_gates
        size = (3 if coupled else 4) * self._num_units
        weights = in_shards(f"W_{kind}_{block}", [rows, size], dtype, self._num_unit_shards)
        biases = tf.get_variable(f"B_{kind}_{block}", [size], dtype, tf.zeros_initializer())

        def gates(features_and_outputs: Any) -> Any:
            """Returns the gates i, j, f and o, `[batch, num_units]` each; f is None if it is coupled to i."""
            parts = tf.split(tf.nn.bias_add(tf.matmul(features_and_outputs, weights), biases), 3 if coupled else 4, 1)
            return (parts[0], parts[1], None, parts[2]) if coupled else parts

        return gates

    def _peepholes(self, kind: str, block: int, dtype: Any) -> Callable[[str, Any, Any, Any], Any]:
        """Returns a function that adds the peephole terms w * c to a gate of the LSTM `kind`, "freq" or "time"."""
        if not self._use_peepholes:
            return lambda letter, gate, over_freq, over_time: gate
        letters = "IO" if self._couple_input_forget_gates else "FIO"
        names = " ".join(f"W_{letter}_diag_{kind}{of}_{block}" for letter in letters for of in "ft")
        weights = weights_by_name(names, self._num_units, dtype)

        def peephole(letter: str, gate: Any, over_freq: Any, over_time: Any) -> Any:
            """Returns a `[batch, num_units]` gate with the peephole terms added."""
            of_freq = weights[f"W_{letter}_diag_{kind}f_{block}"] * over_freq
            return gate + of_freq + weights[f"W_{letter}_diag_{kind}t_{block}"] * over_time

        return peephole

    def _compute(self, windows: Any, block: int, state: Any, prefix: str) -> Tuple[List[Any], List[Any]]:
        units, dtype = self._num_units, windows[0].dtype
        rows = columns(windows[0]) + 2 * units
        shared = self._share_time_frequency_weights
        freq_gates = self._gates("f", block, rows, dtype)
        time_gates = None if shared else self._gates("t", block, rows, dtype)
        freq_peephole = self._peepholes("freq", block, dtype)
        time_peephole = freq_peephole if shared else self._peepholes("time", block, dtype)
        batch = batch_of(windows[0])
        m_freq, c_freq = tf.zeros([batch, units], dtype), tf.zeros([batch, units], dtype)
        outputs, states = [], []

        def new_cell_state(gates: Any, peephole: Any, over_freq: Any, over_time: Any, before: Any) -> Any:
            """Returns the new cell state, `[batch, num_units]`."""
            i, j, f, _ = gates
            input_gate = tf.sigmoid(peephole("I", i, over_freq, over_time))
            if f is None:
                forget = 1.0 - input_gate
            else:
                forget = tf.sigmoid(peephole("F", f + self._forget_bias, over_freq, over_time))
            return clipped(forget * before + input_gate * tf.tanh(j), self._cell_clip)

        for window, features in enumerate(windows):
            c_time, m_time = self._previous_state(state, prefix, window, block)
            features_and_outputs = tf.concat([features, m_time, m_freq], 1)
            over_freq = freq_gates(features_and_outputs)
            over_time = over_freq if time_gates is None else time_gates(features_and_outputs)
            new_freq = new_cell_state(over_freq, freq_peephole, c_freq, c_time, c_freq)
            new_time = new_cell_state(over_time, time_peephole, c_freq, c_time, c_time)
            c_freq, c_time = new_freq, new_time
            m_freq = tf.sigmoid(freq_peephole("O", over_freq[3], c_freq, c_time)) * tf.tanh(c_freq)
            m_time = tf.sigmoid(time_peephole("O", over_time[3], c_freq, c_time)) * tf.tanh(c_time)
            outputs += [m_time, m_freq]
            states += [c_time, m_time]
        return outputs, states

    def _make_tf_features(self, input_feat: Any, slice_offset: int = 0) -> List[List[Any]]:
        """Returns the windows of each block, shifted by `slice_offset` frequencies and padded with zeros."""
        input_size = columns(input_feat)
        if slice_offset:
            pads = [0, slice_offset] if slice_offset > 0 else [-slice_offset, 0]
            input_feat = tf.pad(input_feat, [[0, 0], pads], "CONSTANT")
            slice_offset = max(slice_offset, 0)
        counts = self._num_frequency_blocks
        if not self._start_freqindex_list:
            if len(counts) != 1:
                raise ValueError(f"Length of num_frequency_blocks is not 1, but instead is {len(counts)}")
            bounds = [(0, input_size)]
        else:
            ends = self._end_freqindex_list or ()
            if len(self._start_freqindex_list) != len(ends):
                raise ValueError(
                    "Length of start and end freqindex_list does not match "
                    f"{len(self._start_freqindex_list)} {len(ends)}"
                )
            if len(counts) != len(self._start_freqindex_list):
                raise ValueError(
                    "Length of num_frequency_blocks is not equal to start_freqindex_list "
                    f"{len(counts)} {len(self._start_freqindex_list)}"
                )
            bounds = list(zip(self._start_freqindex_list, ends))
        blocks = []
        for (start, end), count in zip(bounds, counts):
            size, skip = self._feature_size or 0, self._frequency_skip or 1
            windows = _windows(input_feat, start, end, size, skip, slice_offset)
            if len(windows) != count:
                raise ValueError(
                    f"Invalid num_frequency_blocks, requires {count} but gets {len(windows)}, "
                    "please check the input size and filter config are correct."
                )
            blocks.append(windows)
        return blocks


class BidirectionalGridLSTMCell(GridLSTMCell):
    """Grid LSTM cell that recurs over frequencies in both directions; Kalchbrenner et al., arXiv:1507.01526.

    Args:
        num_units: Units of the cell state of a window.
        use_peepholes: True to let the gates see the cell states.
        share_time_frequency_weights: True to give the LSTMs over time and over frequencies the same weights.
        cell_clip: Largest absolute value of the cell states; None for no limit.
        initializer: Ignored, as in TensorFlow 1.15.
        num_unit_shards: Number of variables that each kernel is split into.
        forget_bias: Number added to the forget gates before their sigmoid.
        feature_size: Width of a window, in frequencies.
        frequency_skip: Frequencies from the start of a window to the start of the next.
        num_frequency_blocks: List of the number of windows of each block of frequencies.
        start_freqindex_list: First frequency of each block; None for a single block.
        end_freqindex_list: Frequency after the last of each block.
        couple_input_forget_gates: True to set the forget gates to 1 - input gates.
        backward_slice_offset: Frequencies that the windows are shifted by in the backward direction.
        reuse: True to use variables that exist already in the scope.
    """

    _directions = ("fwd_", "bwd_")
    _tuple_name = "BidirectionalGridLSTMStateTuple"

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: Optional[float] = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Optional[int] = None,
        frequency_skip: Optional[int] = None,
        num_frequency_blocks: Optional[Sequence[int]] = None,
        start_freqindex_list: Optional[Sequence[int]] = None,
        end_freqindex_list: Optional[Sequence[int]] = None,
        couple_input_forget_gates: bool = False,
        backward_slice_offset: int = 0,
        reuse: Optional[bool] = None,
    ) -> None:
        super().__init__(
            num_units,
            use_peepholes,
            share_time_frequency_weights,
            cell_clip,
            initializer,
            num_unit_shards,
            forget_bias,
            feature_size,
            frequency_skip,
            num_frequency_blocks,
            start_freqindex_list,
            end_freqindex_list,
            couple_input_forget_gates,
            True,
            reuse,
        )
        self._backward_slice_offset = int(backward_slice_offset)

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: `[batch, frequencies]` float tensor.
            state: Named tuple with cell state and output of each window and direction, `[batch, num_units]` each.

        Returns:
            Outputs of all windows in both directions, `[batch, 4 * windows * num_units]`, and the next state.
        """
        forward = backward = self._make_tf_features(inputs)
        if self._backward_slice_offset:
            backward = self._make_tf_features(inputs, self._backward_slice_offset)
        with tf.variable_scope("fwd"):
            outputs, states = self._over_blocks(forward, state, "fwd_state")
        with tf.variable_scope("bwd"):
            reversed_blocks = [windows[::-1] for windows in backward]
            more_outputs, more_states = self._over_blocks(reversed_blocks, state, "bwd_state")
        new_state = self._state_tuple_type(*states, *more_states)  # type: ignore[misc]
        return tf.concat(outputs + more_outputs, 1), new_state
