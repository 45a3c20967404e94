# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Taking parts of a graph out, and putting them together."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.graph_editor import reroute, select, subgraph, util


def detach_control_inputs(sgv: Any) -> None:
    """Has ops no longer wait for ops outside."""
    sgv = subgraph.make_view(sgv)
    for op in sgv.ops:
        reroute.remove_control_inputs(op, [cop for cop in op.control_inputs if cop not in sgv.ops])


def detach_control_outputs(sgv: Any, control_outputs: Any) -> None:
    """Has ops outside no longer wait.

    Args:
        sgv: The part.
        control_outputs: A `ControlOutputs` of the graph.

    Raises:
        TypeError: It isn't one.
    """
    if not isinstance(control_outputs, util.ControlOutputs):
        raise TypeError(f"Expected a util.ControlOutputs, got: {type(control_outputs)}")
    control_outputs.update()
    sgv = subgraph.make_view(sgv)
    for op in sgv.ops:
        for cop in control_outputs.get(op):
            if cop not in sgv.ops:
                reroute.remove_control_inputs(cop, op)


def detach_inputs(sgv: Any, control_inputs: bool = False) -> tuple[Any, list[Any]]:
    """Puts placeholders in the inputs' place.

    Args:
        sgv: The part.
        control_inputs: Whether it no longer waits, either.

    Returns:
        Its view, and the placeholders.
    """
    sgv = subgraph.make_view(sgv)
    with sgv.graph.as_default():
        placeholders = [tf.placeholder(dtype=t.dtype, name=util.placeholder_name(t)) for t in sgv.inputs]
    reroute.swap_inputs(sgv, placeholders)
    if control_inputs:
        detach_control_inputs(sgv)
    return sgv, placeholders


def detach_outputs(sgv: Any, control_outputs: Any = None) -> tuple[Any, list[Any]]:
    """Puts placeholders in the outputs' place, for those that take them.

    Args:
        sgv: The part.
        control_outputs: A `ControlOutputs` of the graph, to have those outside no longer wait, either.

    Returns:
        A view with the outputs that something takes, and the placeholders.
    """
    sgv = subgraph.make_view(sgv)
    sgv = sgv.remap_outputs([i for i, t in enumerate(sgv.outputs) if t.consumers()])
    takers = subgraph.SubGraphView(sgv.consumers())
    takers = takers.remap_inputs([i for i, t in enumerate(takers.inputs) if t in sgv.outputs])
    with sgv.graph.as_default():
        placeholders = [util.make_placeholder_from_tensor(t) for t in takers.inputs]
    reroute.swap_outputs(sgv, placeholders)
    if control_outputs is not None:
        detach_control_outputs(sgv, control_outputs)
    return sgv, placeholders


def detach(
    sgv: Any, control_inputs: Any = False, control_outputs: Any = None, control_ios: Any = None
) -> tuple[Any, list[Any], list[Any]]:
    """Both of them: returns the part, and the placeholders of inputs and outputs."""
    control_inputs, control_outputs = select.check_cios(control_inputs, control_outputs, control_ios)
    _, inputs = detach_inputs(sgv, control_inputs)
    _, outputs = detach_outputs(sgv, control_outputs)
    return sgv, inputs, outputs


def connect(sgv0: Any, sgv1: Any, disconnect_first: bool = False) -> tuple[Any, Any]:
    """Has the second part take the first's outputs.

    Args:
        sgv0: The first.
        sgv1: The second.
        disconnect_first: Whether what took them before gets placeholders.

    Returns:
        Both views.
    """
    sgv0, sgv1 = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.check_graphs(sgv0, sgv1)
    if disconnect_first:
        detach_outputs(sgv0)
    reroute.reroute_inputs(subgraph.SubGraphView(passthrough_ts=sgv0.outputs), sgv1)
    return sgv0, sgv1


def bypass(sgv: Any) -> tuple[Any, list[Any]]:
    """Has what takes a part's outputs take its inputs.

    Args:
        sgv: The part, with as many inputs as outputs.

    Returns:
        Its view, and the placeholders that it takes now.
    """
    sgv = subgraph.make_view(sgv)
    inputs = list(sgv.inputs)
    sgv, placeholders = detach_inputs(sgv)
    reroute.reroute_ts(inputs, sgv.outputs)
    return sgv, placeholders
