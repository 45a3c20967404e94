# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Cells that compute a whole sequence in one call."""

from __future__ import annotations

import abc
from typing import Any

import tf1mem.v1 as tf


class FusedRNNCell(abc.ABC):
    """Interface of cells that compute all time steps, `[time, batch, input_size]`, in one call."""

    @abc.abstractmethod
    def __call__(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None
    ) -> Any:
        """Computes all steps of a sequence.

        Args:
            inputs: `[time, batch, input_size]` tensor, or a list of `[batch, input_size]` tensors, one for each step.
            initial_state: State before the first step; None for zeros.
            dtype: Type of the zero state.
            sequence_length: `[batch]` integers, number of steps of each example; None for all steps.
            scope: Variable scope of the cell.

        Returns:
            The outputs, `[time, batch, output_size]` or a list as the inputs are, and the last state.
        """


class FusedRNNCellAdaptor(FusedRNNCell):
    """Fused cell that calls an RNNCell at each step of `[time, batch, input_size]` inputs.

    Args:
        cell: RNNCell to call at each step.
        use_dynamic_rnn: True to compute the steps by `tf.nn.dynamic_rnn`, False by `tf.nn.static_rnn`.
    """

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        self._cell = cell
        self._use_dynamic_rnn = use_dynamic_rnn

    def __call__(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None
    ) -> Any:
        """Computes all steps of a sequence; takes and returns the same as `FusedRNNCell`."""
        as_list = isinstance(inputs, list)
        keywords = {"initial_state": initial_state, "dtype": dtype, "sequence_length": sequence_length, "scope": scope}
        if self._use_dynamic_rnn:
            inputs = tf.stack(inputs) if as_list else inputs
            outputs, state = tf.nn.dynamic_rnn(self._cell, inputs, time_major=True, **keywords)
            return tf.unstack(outputs) if as_list else outputs, state
        inputs = inputs if as_list else tf.unstack(inputs)
        outputs, state = tf.nn.static_rnn(self._cell, inputs, **keywords)
        return outputs if as_list else tf.stack(outputs), state


class TimeReversedFusedRNN(FusedRNNCell):
    """Fused cell that runs backward in time over `[time, batch, input_size]` inputs.

    Args:
        cell: Fused cell to call on the reversed sequence.
    """

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def __call__(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None
    ) -> Any:
        """Computes all steps of a sequence; takes and returns the same as `FusedRNNCell`."""
        outputs, state = self._cell(
            _reversed(inputs, sequence_length),
            initial_state=initial_state,
            dtype=dtype,
            sequence_length=sequence_length,
            scope=scope,
        )
        return _reversed(outputs, sequence_length), state


def _reversed(steps: Any, lengths: Any) -> Any:
    if isinstance(steps, list):
        return steps[::-1]
    return tf.reverse(steps, [0]) if lengths is None else tf.reverse_sequence(steps, lengths, 0, 1)
