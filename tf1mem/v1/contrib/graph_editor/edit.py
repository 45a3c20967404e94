# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Detaching subgraphs from a graph, and connecting them."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.graph_editor import reroute, select, subgraph, util


def detach_control_inputs(sgv: Any) -> None:
    """Removes the control inputs of a subgraph that come from outside.

    Args:
        sgv: `SubGraphView`, or an argument of `make_view`, such as a list of ops and tensors (of any shape).
    """
    sgv = subgraph.make_view(sgv)
    for op in sgv.ops:
        reroute.remove_control_inputs(op, [cop for cop in op.control_inputs if cop not in sgv.ops])


def detach_control_outputs(sgv: Any, control_outputs: Any) -> None:
    """Removes the control inputs of ops outside that come from a subgraph.

    Args:
        sgv: `SubGraphView`, or an argument of `make_view`, such as a list of ops and tensors (of any shape).
        control_outputs: `ControlOutputs` of the graph.

    Raises:
        TypeError: `control_outputs` isn't a `ControlOutputs`.
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
    """Replaces the inputs of a subgraph by placeholders of the same dtypes, of unknown shape.

    Args:
        sgv: `SubGraphView`, or an argument of `make_view`.
        control_inputs: True to remove control inputs from outside, too.

    Returns:
        View of the subgraph, and the placeholders.
    """
    sgv = subgraph.make_view(sgv)
    with sgv.graph.as_default():
        placeholders = [tf.placeholder(dtype=t.dtype, name=util.placeholder_name(t)) for t in sgv.inputs]
    reroute.swap_inputs(sgv, placeholders)
    if control_inputs:
        detach_control_inputs(sgv)
    return sgv, placeholders


def detach_outputs(sgv: Any, control_outputs: Any = None) -> tuple[Any, list[Any]]:
    """Replaces the outputs of a subgraph by placeholders of the same dtypes and shapes, for the ops that consume them.

    Args:
        sgv: `SubGraphView`, or an argument of `make_view`.
        control_outputs: `ControlOutputs` of the graph, to remove control inputs of ops outside, too; None keeps
            them.

    Returns:
        View with the outputs that have consumers, and the placeholders.
    """
    sgv = subgraph.make_view(sgv)
    sgv = sgv.remap_outputs([i for i, t in enumerate(sgv.outputs) if t.consumers()])
    consumers = subgraph.SubGraphView(sgv.consumers())
    consumers = consumers.remap_inputs([i for i, t in enumerate(consumers.inputs) if t in sgv.outputs])
    with sgv.graph.as_default():
        placeholders = [util.make_placeholder_from_tensor(t) for t in consumers.inputs]
    reroute.swap_outputs(sgv, placeholders)
    if control_outputs is not None:
        detach_control_outputs(sgv, control_outputs)
    return sgv, placeholders


def detach(
    sgv: Any, control_inputs: Any = False, control_outputs: Any = None, control_ios: Any = None
) -> tuple[Any, list[Any], list[Any]]:
    """Replaces the inputs and outputs of a subgraph by placeholders.

    Args:
        sgv: `SubGraphView`, or an argument of `make_view`.
        control_inputs: True to remove control inputs from outside.
        control_outputs: `ControlOutputs` of the graph, to remove control inputs of ops outside; None keeps them.
        control_ios: `ControlOutputs` for both.

    Returns:
        The subgraph, the placeholders of its inputs (of unknown shape), and those of its outputs (of the same
        shapes).
    """
    control_inputs, control_outputs = select.check_cios(control_inputs, control_outputs, control_ios)
    _, inputs = detach_inputs(sgv, control_inputs)
    _, outputs = detach_outputs(sgv, control_outputs)
    return sgv, inputs, outputs


def connect(sgv0: Any, sgv1: Any, disconnect_first: bool = False) -> tuple[Any, Any]:
    """Connects the outputs of a subgraph to the inputs of another; dtypes and shapes must be compatible.

    Args:
        sgv0: `SubGraphView` whose outputs are used.
        sgv1: `SubGraphView` whose inputs are replaced.
        disconnect_first: True to give placeholders to the former consumers of the outputs.

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
    """Connects the consumers of a subgraph's outputs to its inputs; dtypes and shapes must be compatible.

    Args:
        sgv: `SubGraphView`, or an argument of `make_view`, with as many inputs as outputs.

    Returns:
        View of the subgraph, and the placeholders that replace its inputs.
    """
    sgv = subgraph.make_view(sgv)
    inputs = list(sgv.inputs)
    sgv, placeholders = detach_inputs(sgv)
    reroute.reroute_ts(inputs, sgv.outputs)
    return sgv, placeholders
