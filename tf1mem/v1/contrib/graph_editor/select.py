# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Choosing ops and tensors: by name, by what they are next to, by walks through the graph."""

from __future__ import annotations

import re
from typing import Any, Callable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.graph_editor import util


def can_be_regex(obj: Any) -> bool:
    """Whether it is a text or a regular expression."""
    return isinstance(obj, (str, type(re.compile(""))))


def make_regex(obj: Any) -> Any:
    """A regular expression of a text.

    Raises:
        ValueError: It is neither.
    """
    if not can_be_regex(obj):
        raise ValueError(f"Expected a string or a regex, got: {type(obj)}")
    return re.compile(obj)


def _get_input_ts(ops: Any) -> list[Any]:
    return util.concatenate_unique([], [t for op in util.make_list_of_op(ops) for t in op.inputs])


def _get_output_ts(ops: Any) -> list[Any]:
    return [t for op in util.make_list_of_op(ops) for t in op.outputs]


def filter_ts(ops: Any, positive_filter: Any) -> list[Any]:
    """The inputs and outputs of ops for which a function is true, or all for True."""
    ops = util.make_list_of_op(ops)
    ts = util.concatenate_unique(_get_input_ts(ops), _get_output_ts(ops))
    return ts if positive_filter is True else [t for t in ts if positive_filter(t)]


def filter_ts_from_regex(ops: Any, regex: Any) -> list[Any]:
    """The inputs and outputs of ops whose names a regular expression is found in."""
    pattern = make_regex(regex)
    return filter_ts(ops, lambda t: pattern.search(t.name))


def filter_ops(ops: Any, positive_filter: Any) -> list[Any]:
    """The ops for which a function is true, or all for True."""
    ops = util.make_list_of_op(ops)
    return ops if positive_filter is True else [op for op in ops if positive_filter(op)]


def filter_ops_from_regex(ops: Any, regex: Any) -> list[Any]:
    """The ops whose names a regular expression is found in."""
    pattern = make_regex(regex)
    return filter_ops(ops, lambda op: pattern.search(op.name))


def get_name_scope_ops(ops: Any, scope: str) -> list[Any]:
    """The ops below a scope."""
    return filter_ops_from_regex(ops, f"^{scope[:-1] if scope.endswith('/') else scope}(/.*)?$")


def check_cios(control_inputs: Any = False, control_outputs: Any = None, control_ios: Any = None) -> tuple[Any, Any]:
    """Checks how control dependencies are followed.

    Args:
        control_inputs: Whether backwards.
        control_outputs: A `ControlOutputs` for forwards, or None.
        control_ios: A `ControlOutputs` for both.

    Returns:
        The first two.

    Raises:
        TypeError: It isn't a `ControlOutputs`.
        ValueError: Forwards is said twice.
    """
    if control_ios is not None and control_outputs is not None and isinstance(control_ios, util.ControlOutputs):
        raise ValueError("control_ios, control_outputs: both were given. Leave control_outputs out.")
    chosen = control_outputs if control_ios is None else control_ios
    if chosen is None:
        return control_inputs, None
    if not isinstance(chosen, util.ControlOutputs):
        raise TypeError(f"Expected a util.ControlOutputs, got: {type(chosen)}")
    return control_inputs or control_ios is not None, chosen.update()


def get_ops_ios(ops: Any, control_inputs: Any = False, control_outputs: Any = None, control_ios: Any = None) -> Any:
    """The ops next to ops, before and after. The last three arguments are `check_cios`'."""
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    found: list[Any] = []
    for op in util.make_list_of_op(ops):
        util.concatenate_unique(found, _before(op, (), control_inputs))
        util.concatenate_unique(found, _after(op, (), control_outputs))
    return found


def _before(op: Any, stop_at_ts: Any, control_inputs: Any) -> list[Any]:
    return [t.op for t in op.inputs if t not in stop_at_ts] + (list(op.control_inputs) if control_inputs else [])


def _after(op: Any, stop_at_ts: Any, control_outputs: Any) -> list[Any]:
    taken = [consumer for t in op.outputs if t not in stop_at_ts for consumer in t.consumers()]
    return taken + ([] if control_outputs is None else list(control_outputs.get(op)))


def compute_boundary_ts(ops: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """The tensors at the boundary of ops.

    Returns:
        Those that come from outside; those that are made inside and taken outside, or by nobody; those that are made
        and taken inside, which may be among the second, too.
    """
    ops = util.make_list_of_op(ops)
    within = frozenset(ops)
    inputs, outputs = _get_input_ts(ops), _get_output_ts(ops)
    made = frozenset(outputs)
    inside = [t for t in inputs if t in made]
    only_inside = frozenset(t for t in inside if within.issuperset(t.consumers()))
    return [t for t in inputs if t not in made], [t for t in outputs if t not in only_inside], inside


def get_within_boundary_ops(
    ops: Any,
    seed_ops: Any,
    boundary_ops: Any = (),
    inclusive: bool = True,
    control_inputs: Any = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Any]:
    """The ops that are reached from seeds without crossing a boundary.

    Args:
        ops: Among which.
        seed_ops: The seeds.
        boundary_ops: The boundary.
        inclusive: Whether the boundary is part of it.
        control_inputs: As `check_cios` has it, like the two below.
        control_outputs: The same.
        control_ios: The same.

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
    """The ops that come of seeds.

    Args:
        seed_ops: Ops, or tensors for the ops that take them.
        inclusive: Whether the seeds are part of it.
        within_ops: Among which.
        within_ops_fn: For which ops it goes on.
        stop_at_ts: Tensors that aren't followed.
        control_outputs: As `check_cios` has it.
    """
    _, control_outputs = check_cios(False, control_outputs)
    stops = frozenset(util.make_list_of_t(stop_at_ts))
    seeds = _seeds(seed_ops, util.get_consuming_ops)
    return _walk(seeds, lambda op: _after(op, stops, control_outputs), inclusive, within_ops, within_ops_fn)


def get_backward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Any = None,
    stop_at_ts: Any = (),
    control_inputs: Any = False,
) -> list[Any]:
    """The ops that seeds come of.

    Args:
        seed_ops: Ops, or tensors for the ops that make them.
        inclusive: Whether the seeds are part of it.
        within_ops: Among which.
        within_ops_fn: For which ops it goes on.
        stop_at_ts: Tensors that aren't followed.
        control_inputs: Whether control dependencies are followed, too.
    """
    stops = frozenset(util.make_list_of_t(stop_at_ts))
    seeds = _seeds(seed_ops, util.get_generating_ops)
    return _walk(seeds, lambda op: _before(op, stops, control_inputs), inclusive, within_ops, within_ops_fn)


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
    """The ops that come of the first seeds, and that the second come of.

    Args:
        forward_seed_ops: The first, as `get_forward_walk_ops` has them.
        backward_seed_ops: The second, as `get_backward_walk_ops` has them.
        forward_inclusive: Whether the first are part of it.
        backward_inclusive: Whether the second are.
        within_ops: Among which.
        within_ops_fn: For which ops it goes on.
        control_inputs: As `check_cios` has it, like the two below.
        control_outputs: The same.
        control_ios: The same.
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
    wanted = frozenset(backward)
    return [op for op in forward if op in wanted]


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
    """The ops that come of the first seeds, or that the second come of: `get_walks_intersection_ops`' arguments."""
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
    """Ops by regular expressions, and those that are given.

    Args:
        *args: Regular expressions (those that begin with "(?#ts)" are for tensors), ops, iterables of them.
        **kwargs: `graph`, for regular expressions; `positive_filter`, a function that is true for those to take;
            `restrict_ops_regex`, whether expressions have to begin with "(?#ops)".

    Raises:
        TypeError: `graph` is none.
        ValueError: It is another argument, or an expression without a graph.
    """
    return _select(args, kwargs, "ops", "ts", filter_ops_from_regex, _only_ops)


def select_ts(*args: Any, **kwargs: Any) -> list[Any]:
    """Tensors by regular expressions, and those that are given.

    Args:
        *args: Regular expressions (those that begin with "(?#ops)" are for ops), tensors, iterables of them.
        **kwargs: `graph`, for regular expressions; `positive_filter`, a function that is true for those to take;
            `restrict_ts_regex`, whether expressions have to begin with "(?#ts)".

    Raises:
        TypeError: `graph` is none.
        ValueError: It is another argument, or an expression without a graph.
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
    given: Callable[[Any], Any],
) -> list[Any]:
    known = {"graph", "positive_filter", "restrict_ops_regex", "restrict_ts_regex"}
    for name in sorted({*kwargs} - known):
        raise ValueError(f"Wrong keywords argument: {name}.")
    graph, wanted = kwargs.get("graph"), kwargs.get("positive_filter")
    if graph is not None and not isinstance(graph, tf.Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    found: list[Any] = []
    for arg in args:
        if can_be_regex(arg):
            if graph is None:
                raise ValueError("graph: a regex needs a graph to look in. Give graph=...")
            regex = make_regex(arg)
            is_restricted = kwargs.get(f"restrict_{kind}_regex") and not regex.pattern.startswith(f"(?#{kind})")
            if regex.pattern.startswith(f"(?#{other})") or is_restricted:
                continue
            here = by_regex(graph, regex)
        else:
            here = given(arg)
        util.concatenate_unique(found, here if wanted is None else [top for top in here if wanted(top)])
    return found


def select_ops_and_ts(*args: Any, **kwargs: Any) -> tuple[list[Any], list[Any]]:
    """Ops and tensors: regular expressions for tensors have to begin with "(?#ts)"."""
    return select_ops(*args, restrict_ops_regex=False, **kwargs), select_ts(*args, restrict_ts_regex=True, **kwargs)
