# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Selection of ops and tensors by name, neighborhood, or walks through the graph."""

from __future__ import annotations

import re
from typing import Any, Callable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.graph_editor import util


def can_be_regex(obj: Any) -> bool:
    """Returns true for a string or a compiled regular expression.

    Args:
        obj: Any object.
    """
    return isinstance(obj, (str, type(re.compile(""))))


def make_regex(obj: Any) -> Any:
    """Returns a compiled regular expression.

    Args:
        obj: String, or compiled regular expression.

    Raises:
        ValueError: `obj` is neither.
    """
    if not can_be_regex(obj):
        raise ValueError(f"Expected a string or a regex, got: {type(obj)}")
    return re.compile(obj)


def _get_input_ts(ops: Any) -> list[Any]:
    return util.concatenate_unique([], [t for op in util.make_list_of_op(ops) for t in op.inputs])


def _get_output_ts(ops: Any) -> list[Any]:
    return [t for op in util.make_list_of_op(ops) for t in op.outputs]


def filter_ts(ops: Any, positive_filter: Any) -> list[Any]:
    """Returns the inputs and outputs of ops, of any shape, that pass a filter.

    Args:
        ops: Ops, or a graph.
        positive_filter: Function of a tensor that returns true to keep it, or True to keep all.
    """
    ops = util.make_list_of_op(ops)
    ts = util.concatenate_unique(_get_input_ts(ops), _get_output_ts(ops))
    return ts if positive_filter is True else [t for t in ts if positive_filter(t)]


def filter_ts_from_regex(ops: Any, regex: Any) -> list[Any]:
    """Returns the inputs and outputs of ops whose names contain a match of a regular expression.

    Args:
        ops: Ops, or a graph.
        regex: String, or compiled regular expression.

    Returns:
        List of tensors of any shape.
    """
    pattern = make_regex(regex)
    return filter_ts(ops, lambda t: pattern.search(t.name))


def filter_ops(ops: Any, positive_filter: Any) -> list[Any]:
    """Returns the ops that pass a filter.

    Args:
        ops: An op, an iterable of ops, or a graph.
        positive_filter: Function of an op that returns true to keep it, or True to keep all.

    Raises:
        TypeError: An element isn't an op.
    """
    ops = util.make_list_of_op(ops)
    return ops if positive_filter is True else [op for op in ops if positive_filter(op)]


def filter_ops_from_regex(ops: Any, regex: Any) -> list[Any]:
    """Returns the ops whose names contain a match of a regular expression.

    Args:
        ops: Ops, or a graph.
        regex: String, or compiled regular expression.
    """
    pattern = make_regex(regex)
    return filter_ops(ops, lambda op: pattern.search(op.name))


def get_name_scope_ops(ops: Any, scope: str) -> list[Any]:
    """Returns the ops in a name scope.

    Args:
        ops: Ops, or a graph.
        scope: Start of a name up to a slash, such as "tower_0/conv1", as a regular expression; an op of exactly this
            name is in the scope, too.
    """
    return filter_ops_from_regex(ops, f"^{scope[:-1] if scope.endswith('/') else scope}(/.*)?$")


def check_cios(control_inputs: Any = False, control_outputs: Any = None, control_ios: Any = None) -> tuple[Any, Any]:
    """Checks the arguments that decide which control dependencies are followed.

    Args:
        control_inputs: True to follow control inputs, backwards.
        control_outputs: `ControlOutputs` to follow control outputs, forwards; None follows none.
        control_ios: `ControlOutputs` to follow both.

    Returns:
        Pair of `control_inputs` and `control_outputs`.

    Raises:
        TypeError: An argument isn't a `ControlOutputs`.
        ValueError: Both `control_outputs` and `control_ios` are set.
    """
    if control_ios is not None and control_outputs is not None and isinstance(control_ios, util.ControlOutputs):
        raise ValueError("control_ios, control_outputs: both are set. Leave control_outputs out.")
    chosen = control_outputs if control_ios is None else control_ios
    if chosen is None:
        return control_inputs, None
    if not isinstance(chosen, util.ControlOutputs):
        raise TypeError(f"Expected a util.ControlOutputs, got: {type(chosen)}")
    return control_inputs or control_ios is not None, chosen.update()


def get_ops_ios(ops: Any, control_inputs: Any = False, control_outputs: Any = None, control_ios: Any = None) -> Any:
    """Returns the direct predecessors and successors of ops: those that make their inputs, of any shape, or use them.

    Args:
        ops: An op, an iterable of ops, or a graph.
        control_inputs: Argument of `check_cios`.
        control_outputs: Argument of `check_cios`.
        control_ios: Argument of `check_cios`.
    """
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    neighbors: list[Any] = []
    for op in util.make_list_of_op(ops):
        util.concatenate_unique(neighbors, _predecessors(op, (), control_inputs))
        util.concatenate_unique(neighbors, _successors(op, (), control_outputs))
    return neighbors


def _predecessors(op: Any, stop_at_ts: Any, control_inputs: Any) -> list[Any]:
    return [t.op for t in op.inputs if t not in stop_at_ts] + (list(op.control_inputs) if control_inputs else [])


def _successors(op: Any, stop_at_ts: Any, control_outputs: Any) -> list[Any]:
    """Returns the ops that consume an op's outputs, and those that it controls."""
    consumers = [consumer for t in op.outputs if t not in stop_at_ts for consumer in t.consumers()]
    return consumers + ([] if control_outputs is None else list(control_outputs.get(op)))


def compute_boundary_ts(ops: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Returns the tensors, of any shape, at the boundary of a set of ops.

    Args:
        ops: Ops, or a graph.

    Returns:
        Inputs from outside; outputs that are consumed outside or nowhere; tensors generated and consumed inside,
        which may also be outputs.
    """
    ops = util.make_list_of_op(ops)
    within = frozenset(ops)
    inputs, outputs = _get_input_ts(ops), _get_output_ts(ops)
    generated = frozenset(outputs)
    inside = [t for t in inputs if t in generated]
    only_inside = frozenset(t for t in inside if within.issuperset(t.consumers()))
    return [t for t in inputs if t not in generated], [t for t in outputs if t not in only_inside], inside


def get_within_boundary_ops(
    ops: Any,
    seed_ops: Any,
    boundary_ops: Any = (),
    inclusive: bool = True,
    control_inputs: Any = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Any]:
    """Returns the ops that are reachable from seeds, by tensors of any shape, without crossing a boundary.

    Args:
        ops: Ops to choose from, or a graph.
        seed_ops: Ops to start from.
        boundary_ops: Ops at which the search ends.
        inclusive: True to include the boundary.
        control_inputs: Argument of `check_cios`.
        control_outputs: Argument of `check_cios`.
        control_ios: Argument of `check_cios`.

    Raises:
        ValueError: A seed is on the boundary.
    """
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    ops = util.make_list_of_op(ops)
    wave = util.make_list_of_op(seed_ops, allow_graph=False)
    boundary = frozenset(util.make_list_of_op(boundary_ops))
    reached = set(wave)
    if boundary & reached:
        raise ValueError("boundary_ops: some are seeds, too. Leave those out.")
    while wave:
        near = [op for op in get_ops_ios(wave, control_inputs, control_outputs) if op not in reached]
        wave = [op for op in near if op not in boundary]
        reached.update(near if inclusive else wave)
    return [op for op in ops if op in reached]


def _walk(
    seeds: list[Any], step: Callable[[Any], Any], inclusive: bool, within_ops: Any, within_ops_fn: Any
) -> list[Any]:
    if within_ops:
        within_ops = frozenset(util.make_list_of_op(within_ops, allow_graph=False))
        seeds = [op for op in seeds if op in within_ops]

    def is_within(op: Any) -> bool:
        """Returns true if the walk may go on to an op."""
        return (within_ops is None or op in within_ops) and (within_ops_fn is None or within_ops_fn(op))

    reached = dict.fromkeys(seeds)
    wave = list(reached)
    while wave:
        near = dict.fromkeys(op for last in wave for op in step(last))
        wave = [op for op in near if op not in reached and is_within(op)]
        reached.update(dict.fromkeys(wave))
    first = frozenset(() if inclusive else seeds)
    return [op for op in reached if op not in first]


def _seeds(seed_ops: Any, of_tensors: Callable[[Any], Any]) -> list[Any]:
    seeds = list(seed_ops) if util.is_iterable(seed_ops) else [seed_ops]
    if seeds and isinstance(seeds[0], tf.Tensor):
        return list(dict.fromkeys(of_tensors(seeds)))
    return list(dict.fromkeys(util.make_list_of_op(seeds, allow_graph=False)))


def get_forward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    stop_at_ts: Any = (),
    control_outputs: Any = None,
) -> list[Any]:
    """Returns the ops that are reachable forwards from seeds.

    Args:
        seed_ops: Ops, or tensors of any shape, which stand for their consumers.
        inclusive: True to include the seeds.
        within_ops: Ops to choose from; None allows all.
        within_ops_fn: Function of an op that returns true to continue the walk there; None continues everywhere.
        stop_at_ts: Tensors of any shape that aren't followed.
        control_outputs: `ControlOutputs` to follow control outputs, forwards; None follows none.
    """
    _, control_outputs = check_cios(False, control_outputs)
    stops = frozenset(util.make_list_of_t(stop_at_ts))
    seeds = _seeds(seed_ops, util.get_consuming_ops)
    return _walk(seeds, lambda op: _successors(op, stops, control_outputs), inclusive, within_ops, within_ops_fn)


def get_backward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    stop_at_ts: Any = (),
    control_inputs: Any = False,
) -> list[Any]:
    """Returns the ops that are reachable backwards from seeds.

    Args:
        seed_ops: Ops, or tensors of any shape, which stand for the ops that generate them.
        inclusive: True to include the seeds.
        within_ops: Ops to choose from; None allows all.
        within_ops_fn: Function of an op that returns true to continue the walk there; None continues everywhere.
        stop_at_ts: Tensors of any shape that aren't followed.
        control_inputs: True to follow control inputs, too.
    """
    stops = frozenset(util.make_list_of_t(stop_at_ts))
    seeds = _seeds(seed_ops, util.get_generating_ops)
    return _walk(seeds, lambda op: _predecessors(op, stops, control_inputs), inclusive, within_ops, within_ops_fn)


def _walks(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool,
    backward_inclusive: bool,
    within_ops: Any,
    within_ops_fn: Any,
    control: tuple[Any, Any],
) -> tuple[list[Any], list[Any]]:
    among = {"within_ops": within_ops, "within_ops_fn": within_ops_fn}
    return (
        get_forward_walk_ops(forward_seed_ops, forward_inclusive, control_outputs=control[1], **among),
        get_backward_walk_ops(backward_seed_ops, backward_inclusive, control_inputs=control[0], **among),
    )


def get_walks_intersection_ops(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    control_inputs: Any = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Any]:
    """Returns the ops on paths from forward seeds to backward seeds.

    Args:
        forward_seed_ops: Seeds of the forward walk: ops, or tensors of any shape.
        backward_seed_ops: Seeds of the backward walk: ops, or tensors of any shape.
        forward_inclusive: True to include the forward seeds.
        backward_inclusive: True to include the backward seeds.
        within_ops: Ops to choose from; None allows all.
        within_ops_fn: Function of an op that returns true to continue the walks there; None continues everywhere.
        control_inputs: True to follow control inputs, backwards.
        control_outputs: `ControlOutputs` to follow control outputs, forwards; None follows none.
        control_ios: `ControlOutputs` to follow both control inputs and control outputs.
    """
    forward, backward = _walks(
        forward_seed_ops,
        backward_seed_ops,
        forward_inclusive,
        backward_inclusive,
        within_ops,
        within_ops_fn,
        check_cios(control_inputs, control_outputs, control_ios),
    )
    backward_ops = frozenset(backward)
    return [op for op in forward if op in backward_ops]


def get_walks_union_ops(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    control_inputs: Any = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Any]:
    """Returns the ops of a forward walk or a backward walk.

    Args:
        forward_seed_ops: Seeds of the forward walk: ops, or tensors of any shape.
        backward_seed_ops: Seeds of the backward walk: ops, or tensors of any shape.
        forward_inclusive: True to include the forward seeds.
        backward_inclusive: True to include the backward seeds.
        within_ops: Ops to choose from; None allows all.
        within_ops_fn: Function of an op that returns true to continue the walks there; None continues everywhere.
        control_inputs: True to follow control inputs, backwards.
        control_outputs: `ControlOutputs` to follow control outputs, forwards; None follows none.
        control_ios: `ControlOutputs` to follow both control inputs and control outputs.
    """
    forward, backward = _walks(
        forward_seed_ops,
        backward_seed_ops,
        forward_inclusive,
        backward_inclusive,
        within_ops,
        within_ops_fn,
        check_cios(control_inputs, control_outputs, control_ios),
    )
    return util.concatenate_unique(forward, backward)


def select_ops(*args: Any, **kwargs: Any) -> list[Any]:
    """Returns ops that match regular expressions, together with the ops among the arguments.

    Args:
        *args: Regular expressions (except those for tensors, which start with "(?#ts)"), ops, and iterables of
            these.
        **kwargs: `graph`, required for regular expressions; `positive_filter`, a function of an op that returns
            true to keep it; `restrict_ops_regex`, true if regular expressions must start with "(?#ops)".

    Raises:
        TypeError: `graph` isn't a tf.Graph.
        ValueError: A keyword is unknown, or a regular expression has no graph.
    """
    return _select(args, kwargs, "ops", "ts", filter_ops_from_regex, _only_ops)


def select_ts(*args: Any, **kwargs: Any) -> list[Any]:
    """Returns tensors, of any shape, that match regular expressions, together with the tensors among the arguments.

    Args:
        *args: Regular expressions (except those for ops, which start with "(?#ops)"), tensors, and iterables of
            these.
        **kwargs: `graph`, required for regular expressions; `positive_filter`, a function of a tensor that returns
            true to keep it; `restrict_ts_regex`, true if regular expressions must start with "(?#ts)".

    Raises:
        TypeError: `graph` isn't a tf.Graph.
        ValueError: A keyword is unknown, or a regular expression has no graph.
    """
    return _select(args, kwargs, "ts", "ops", filter_ts_from_regex, _only_ts)


def _only_ops(tops: Any) -> list[Any]:
    return util.make_list_of_op(tops, ignore_ts=True)


def _only_ts(tops: Any) -> list[Any]:
    return util.make_list_of_t(tops, ignore_ops=True)


def _select(
    args: Any,
    kwargs: dict[str, Any],
    kind: str,
    other: str,
    by_regex: Callable[[Any, Any], Any],
    from_elements: Callable[[Any], Any],
) -> list[Any]:
    known = {"graph", "positive_filter", "restrict_ops_regex", "restrict_ts_regex"}
    for name in sorted({*kwargs} - known):
        raise ValueError(f"Wrong keywords argument: {name}.")
    graph, keep = kwargs.get("graph"), kwargs.get("positive_filter")
    if graph is not None and not isinstance(graph, tf.Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    selected: list[Any] = []
    for arg in args:
        if can_be_regex(arg):
            if graph is None:
                raise ValueError("graph: a regex needs a graph to look in. Give graph=...")
            regex = make_regex(arg)
            is_restricted = kwargs.get(f"restrict_{kind}_regex") and not regex.pattern.startswith(f"(?#{kind})")
            if regex.pattern.startswith(f"(?#{other})") or is_restricted:
                continue
            ops = by_regex(graph, regex)
        else:
            ops = from_elements(arg)
        util.concatenate_unique(selected, ops if keep is None else [top for top in ops if keep(top)])
    return selected


def select_ops_and_ts(*args: Any, **kwargs: Any) -> tuple[list[Any], list[Any]]:
    """Returns the results of `select_ops` and `select_ts` (tensors of any shape).

    Args:
        *args: Regular expressions (for tensors they must start with "(?#ts)"), ops, tensors, and iterables of
            these.
        **kwargs: `graph` and `positive_filter`, as for `select_ops`.
    """
    return select_ops(*args, restrict_ops_regex=False, **kwargs), select_ts(*args, restrict_ts_regex=True, **kwargs)
