# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Bidirectional nets, one over the other."""

from __future__ import annotations

from typing import Any, Callable, Optional

import tf1mem.v1 as tf


def _checked(cells_fw: Any, cells_bw: Any, initial_states_fw: Any, initial_states_bw: Any) -> None:
    for name, cells in (("fw", cells_fw), ("bw", cells_bw)):
        if not cells:
            raise ValueError(f"Must specify at least one {name} cell for BidirectionalRNN.")
        if not isinstance(cells, list):
            raise ValueError(f"cells_{name} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError(
            f"cells_fw, cells_bw: there are {len(cells_fw)} and {len(cells_bw)} cells. Give as many of each."
        )
    for name, states in (("fw", initial_states_fw), ("bw", initial_states_bw)):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells_fw)):
            raise ValueError(f"initial_states_{name} must be a list of state tensors (one per layer).")


def _stacked(
    cells_fw: Any,
    cells_bw: Any,
    inputs: Any,
    initial_states_fw: Any,
    initial_states_bw: Any,
    scope: Any,
    layer: Callable[..., Any],
) -> Any:
    _checked(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    none = [None] * len(cells_fw)
    states_fw, states_bw = [], []
    with tf.variable_scope(scope or "stack_bidirectional_rnn"):
        each = zip(cells_fw, cells_bw, initial_states_fw or none, initial_states_bw or none)
        for i, (cell_fw, cell_bw, first_fw, first_bw) in enumerate(each):
            with tf.variable_scope(f"cell_{i}") as cell_scope:
                inputs, last_fw, last_bw = layer(cell_fw, cell_bw, inputs, first_fw, first_bw, cell_scope)
            states_fw.append(last_fw)
            states_bw.append(last_bw)
    return inputs, tuple(states_fw), tuple(states_bw)


def stack_bidirectional_rnn(
    cells_fw: Any,
    cells_bw: Any,
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> Any:
    """Static bidirectional nets, each over the outputs of the one below.

    Args:
        cells_fw: A list of cells, one a layer, that go forward.
        cells_bw: As many that go backward.
        inputs: A list of tensors, one a time step.
        initial_states_fw: A list of states, one a layer; None is zeros.
        initial_states_bw: The same, of those that go backward.
        dtype: Of the zeros.
        sequence_length: Steps of each example.
        scope: A variable scope; None is "stack_bidirectional_rnn".

    Returns:
        The outputs of the uppermost layer, the states forward and the states backward.

    Raises:
        ValueError: These are no lists, or not equally long.
    """

    def layer(cell_fw: Any, cell_bw: Any, inputs: Any, state_fw: Any, state_bw: Any, scope: Any) -> Any:
        return tf.nn.static_bidirectional_rnn(
            cell_fw, cell_bw, inputs, state_fw, state_bw, dtype, sequence_length, scope
        )

    return _stacked(cells_fw, cells_bw, inputs, initial_states_fw, initial_states_bw, scope, layer)


def stack_bidirectional_dynamic_rnn(
    cells_fw: Any,
    cells_bw: Any,
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: Optional[int] = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> Any:
    """Dynamic bidirectional nets, each over the outputs of the one below.

    Args:
        cells_fw: A list of cells, one a layer, that go forward.
        cells_bw: As many that go backward.
        inputs: A tensor of rank 3.
        initial_states_fw: A list of states, one a layer; None is zeros.
        initial_states_bw: The same, of those that go backward.
        dtype: Of the zeros.
        sequence_length: Steps of each example.
        parallel_iterations: Steps that may be computed at once.
        time_major: Whether time comes before the examples.
        scope: A variable scope; None is "stack_bidirectional_rnn".
        swap_memory: Whether what gradients need may wait in the host's memory.

    Returns:
        The outputs of the uppermost layer, the states forward and the states backward.

    Raises:
        ValueError: These are no lists, or not equally long.
    """

    def layer(cell_fw: Any, cell_bw: Any, inputs: Any, state_fw: Any, state_bw: Any, _: Any) -> Any:
        outputs, states = tf.nn.bidirectional_dynamic_rnn(
            cell_fw,
            cell_bw,
            inputs,
            sequence_length=sequence_length,
            initial_state_fw=state_fw,
            initial_state_bw=state_bw,
            dtype=dtype,
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
            time_major=time_major,
        )
        return (tf.concat(outputs, 2), *states)

    return _stacked(cells_fw, cells_bw, inputs, initial_states_fw, initial_states_bw, scope, layer)
