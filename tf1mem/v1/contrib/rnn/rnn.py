# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Stacked bidirectional RNNs; Graves et al., arXiv:1303.5778."""

from __future__ import annotations

from typing import Any, Callable, Optional

import tf1mem.v1 as tf


def _check(cells_fw: Any, cells_bw: Any, initial_states_fw: Any, initial_states_bw: Any) -> None:
    """Raises a ValueError if cells or states aren't lists, or the lists of the two directions differ in length."""
    for name, cells in (("fw", cells_fw), ("bw", cells_bw)):
        if not cells:
            raise ValueError(f"Must specify at least one {name} cell for BidirectionalRNN.")
        if not isinstance(cells, list):
            raise ValueError(f"cells_{name} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError(
            f"cells_fw, cells_bw: there are {len(cells_fw)} and {len(cells_bw)} cells. Give the same number of each."
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
    """Returns the outputs of stacked bidirectional layers, and tuples of their final forward and backward states.

    Args:
        cells_fw: List of the forward RNNCells, one for each layer.
        cells_bw: List of the backward RNNCells, one for each layer.
        inputs: Inputs of the first layer.
        initial_states_fw: List of the initial forward states, one for each layer; None for zeros.
        initial_states_bw: List of the initial backward states, one for each layer; None for zeros.
        scope: Variable scope; None for "stack_bidirectional_rnn".
        layer: Function of two cells, inputs, two initial states and a scope that returns outputs and two final states.
    """
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
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
    """Runs stacked bidirectional RNNs with unrolled steps: each layer takes the concatenated outputs of the one below.

    Args:
        cells_fw: List of the forward RNNCells, one for each layer.
        cells_bw: List of the backward RNNCells, one for each layer.
        inputs: List of `[batch, input_size]` tensors, one for each time step.
        initial_states_fw: List of the initial forward states, one for each layer; None for zeros.
        initial_states_bw: List of the initial backward states, one for each layer; None for zeros.
        dtype: Type of the zero states; required without initial states.
        sequence_length: `[batch]` integers, number of steps of each example; None for all steps.
        scope: Variable scope; None for "stack_bidirectional_rnn".

    Returns:
        The outputs of the last layer, a list of `[batch, size of both outputs]` tensors, and tuples of the layers'
        final forward and backward states.

    Raises:
        ValueError: Cells or initial states aren't in a list, or the lists differ in length.
    """

    def layer(cell_fw: Any, cell_bw: Any, inputs: Any, state_fw: Any, state_bw: Any, scope: Any) -> Any:
        """Returns a layer's outputs and last states; inputs and outputs are lists of `[batch, size]` tensors."""
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
    """Runs stacked bidirectional RNNs by tf.while_loop: each layer takes the concatenated outputs of the one below.

    Args:
        cells_fw: List of the forward RNNCells, one for each layer.
        cells_bw: List of the backward RNNCells, one for each layer.
        inputs: `[batch, time, input_size]` tensor; `[time, batch, input_size]` if `time_major`.
        initial_states_fw: List of the initial forward states, one for each layer; None for zeros.
        initial_states_bw: List of the initial backward states, one for each layer; None for zeros.
        dtype: Type of the zero states; required without initial states.
        sequence_length: `[batch]` integers, number of steps of each example; None for all steps.
        parallel_iterations: Number of steps that may be computed in parallel; None for 32.
        time_major: True to take and return `[time, batch, size]` tensors.
        scope: Variable scope; None for "stack_bidirectional_rnn".
        swap_memory: True to swap tensors that gradients need from the GPU's memory to the host's.

    Returns:
        The outputs of the last layer, `[batch, time, size of both outputs]` or time-major, and tuples of the layers'
        final forward and backward states.

    Raises:
        ValueError: Cells or initial states aren't in a list, or the lists differ in length.
    """

    def layer(cell_fw: Any, cell_bw: Any, inputs: Any, state_fw: Any, state_bw: Any, _: Any) -> Any:
        """Returns a layer's outputs and last states; inputs and outputs are `[batch, time, size]`, or time-major."""
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
