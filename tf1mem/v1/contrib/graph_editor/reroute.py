# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Rewiring of ops to other tensors."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.graph_editor import subgraph, util

# Two flags of `_reroute_ts`: True to connect the consumers of ts1 to ts0, True to connect the consumers of ts0 to ts1.
_BOTH, _SECOND = (True, True), (True, False)


def swap_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Swaps the consumers of tensors.

    Args:
        ts0: Tensors.
        ts1: Tensors, as many as in `ts0`, of compatible dtypes and shapes.
        can_modify: Ops that may be modified; None allows all.
        cannot_modify: Ops that may not be modified; None forbids none.

    Returns:
        Number of inputs changed.

    Raises:
        TypeError: An argument holds neither tensors nor ops.
        ValueError: The tensors' numbers, dtypes or shapes don't match.
    """
    return _reroute_ts(ts0, ts1, _BOTH, can_modify, cannot_modify)


def reroute_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Connects the consumers of tensors to other tensors.

    Args:
        ts0: Tensors to connect to.
        ts1: Tensors whose consumers change, as many as in `ts0`, of compatible dtypes and shapes.
        can_modify: Ops that may be modified; None allows all.
        cannot_modify: Ops that may not be modified; None forbids none.

    Returns:
        Number of inputs changed.

    Raises:
        TypeError: An argument holds neither tensors nor ops.
        ValueError: The tensors' numbers, dtypes or shapes don't match.
    """
    return _reroute_ts(ts0, ts1, _SECOND, can_modify, cannot_modify)


def _reroute_ts(ts0: Any, ts1: Any, mode: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    ts0, ts1 = util.make_list_of_t(ts0), util.make_list_of_t(ts1)
    _check_fit(ts0, ts1)
    allowed = None if can_modify is None else frozenset(util.make_list_of_op(can_modify))
    forbidden = frozenset(() if cannot_modify is None else util.make_list_of_op(cannot_modify))

    def may_change(ops: list[Any]) -> list[Any]:
        """Returns the ops whose inputs `can_modify` and `cannot_modify` allow to replace."""
        return [op for op in ops if op not in forbidden and (allowed is None or op in allowed)]

    # All consumers are looked up before the first change, and the indices of their inputs right before each change.
    pairs = [
        (t0, may_change(util.get_consuming_ops(t0)), t1, may_change(util.get_consuming_ops(t1)))
        for t0, t1 in zip(ts0, ts1)
    ]
    return sum(
        _replace(old, new, consumers)
        for t0, consumers0, t1, consumers1 in pairs
        for enabled, new, old, consumers in ((mode[0], t0, t1, consumers1), (mode[1], t1, t0, consumers0))
        if enabled and new is not old
    )


def _replace(old: Any, new: Any, consumers: list[Any]) -> int:
    places = [(op, i) for op in consumers for i, t in enumerate(op.inputs) if t is old]
    for op, i in places:
        op._update_input(i, new)
    return len(places)


def _check_fit(ts0: list[Any], ts1: list[Any]) -> None:
    if len(ts0) != len(ts1):
        raise ValueError(f"ts0 and ts1 have different sizes: {len(ts0)} != {len(ts1)}")
    for t0, t1 in zip(ts0, ts1):
        if not t0.dtype.is_compatible_with(t1.dtype):
            raise ValueError(f"Dtypes {t0.dtype} and {t1.dtype} are not compatible.")
        if not t0.get_shape().is_compatible_with(t1.get_shape()):
            raise ValueError(f"Shapes {t0.get_shape()} and {t1.get_shape()} are not compatible.")


def swap_inputs(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Swaps the inputs of two subgraphs, and updates and returns their views.

    Args:
        sgv0: `SubGraphView`, or an argument of `make_view`.
        sgv1: `SubGraphView` with as many inputs of compatible dtypes and shapes.
    """
    return _reroute_inputs(sgv0, sgv1, _BOTH)


def reroute_inputs(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Gives the ops of `sgv1` the input tensors of `sgv0`, updates the view of `sgv1`, and returns both views.

    Args:
        sgv0: `SubGraphView`, or an argument of `make_view`.
        sgv1: `SubGraphView` with as many inputs of compatible dtypes and shapes.
    """
    return _reroute_inputs(sgv0, sgv1, _SECOND)


def swap_outputs(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Swaps the consumers of two subgraphs' outputs, and returns both views.

    Args:
        sgv0: `SubGraphView`, or an argument of `make_view`.
        sgv1: `SubGraphView` with as many outputs of compatible dtypes and shapes.
    """
    return _reroute_outputs(sgv0, sgv1, _BOTH)


def reroute_outputs(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Connects the consumers of `sgv1`'s outputs to the outputs of `sgv0`, and returns both views.

    Args:
        sgv0: `SubGraphView`, or an argument of `make_view`.
        sgv1: `SubGraphView` with as many outputs of compatible dtypes and shapes.
    """
    return _reroute_outputs(sgv0, sgv1, _SECOND)


def swap_ios(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Calls `swap_outputs`, then `swap_inputs`, and returns both views.

    Args:
        sgv0: `SubGraphView`, or an argument of `make_view`.
        sgv1: `SubGraphView` with as many inputs and outputs of compatible dtypes and shapes.
    """
    return _reroute_inputs(*_reroute_outputs(sgv0, sgv1, _BOTH), _BOTH)


def reroute_ios(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    """Calls `reroute_outputs`, then `reroute_inputs`, and returns both views.

    Args:
        sgv0: `SubGraphView`, or an argument of `make_view`.
        sgv1: `SubGraphView` with as many inputs and outputs of compatible dtypes and shapes.
    """
    return _reroute_inputs(*_reroute_outputs(sgv0, sgv1, _SECOND), _SECOND)


def _views(sgv0: Any, sgv1: Any) -> tuple[Any, Any]:
    views = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.check_graphs(*views)
    return views


def _reroute_outputs(sgv0: Any, sgv1: Any, mode: Any) -> tuple[Any, Any]:
    sgv0, sgv1 = _views(sgv0, sgv1)
    _reroute_ts(sgv0.outputs, sgv1.outputs, mode, cannot_modify=sgv0.ops + sgv1.ops)
    return sgv0, sgv1


def _reroute_inputs(sgv0: Any, sgv1: Any, mode: Any) -> tuple[Any, Any]:
    """Connects the inputs of one view to the other's, as `mode` says; returns the changed views."""
    sgv0, sgv1 = _views(sgv0, sgv1)
    passing = util.get_consuming_ops(sgv0.passthroughs) + util.get_consuming_ops(sgv1.passthroughs)
    _reroute_ts(sgv0.inputs, sgv1.inputs, mode, can_modify=sgv0.ops + sgv1.ops + passing)
    before = sgv0.copy(), sgv1.copy()
    for changed, view, other in ((mode[0], sgv1, before[0]), (mode[1], sgv0, before[1])):
        if changed:
            view._input_ts = list(other._input_ts)
            view._passthrough_ts = list(other._passthrough_ts)
    for changed, view, other in ((mode[0], sgv1, sgv0), (mode[1], sgv0, sgv1)):
        if changed:
            # An output that is a passthrough of the other view becomes the input at the same index.
            for i, t in enumerate(view._output_ts):
                if t in other._passthrough_ts:
                    view._output_ts[i] = view._input_ts[other._input_ts.index(t)]
    return sgv0, sgv1


def remove_control_inputs(op: Any, cops: Any) -> None:
    """Removes control inputs of an op.

    Args:
        op: The tf.Operation to change.
        cops: Control inputs to remove: an op, or a list of ops.

    Raises:
        TypeError: `op` isn't an op.
        ValueError: `op` lacks a control input of `cops`.
    """
    _check_op(op)
    cops = util.make_list_of_op(cops, allow_graph=False)
    for cop in cops:
        if cop not in op.control_inputs:
            raise ValueError(f"{cop.name} is not a control_input of {op.name}")
    others = [cop for cop in op.control_inputs if cop not in cops]
    op._remove_all_control_inputs()
    op._add_control_inputs(others)


def add_control_inputs(op: Any, cops: Any) -> None:
    """Adds control inputs to an op.

    Args:
        op: The tf.Operation to change.
        cops: Control inputs to add: an op, or a list of ops.

    Raises:
        TypeError: `op` isn't an op.
        ValueError: `op` has a control input of `cops` already.
    """
    _check_op(op)
    cops = util.make_list_of_op(cops, allow_graph=False)
    for cop in cops:
        if cop in op.control_inputs:
            raise ValueError(f"{cop.name} is already a control_input of {op.name}")
    op._add_control_inputs(cops)


def _check_op(op: Any) -> None:
    if not isinstance(op, tf.Operation):
        raise TypeError(f"Expected a tf.Operation, got: {type(op)}")
