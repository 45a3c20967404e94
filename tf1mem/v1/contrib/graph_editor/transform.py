# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Copying parts of a graph, and changing them on the way."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.graph_editor import reroute, select, subgraph, util
from tf1mem.v1.contrib.graph_editor._ops import make_op


def replace_t_with_placeholder_handler(info: Any, t: Any) -> Any:
    """A placeholder in a tensor's place."""
    with info.graph_.as_default():
        return util.make_placeholder_from_tensor(t, scope=info.scope_)


def keep_t_if_possible_handler(info: Any, t: Any) -> Any:
    """The tensor itself in its own graph, a placeholder in another."""
    return t if info.graph is info.graph_ else replace_t_with_placeholder_handler(info, t)


def assign_renamed_collections_handler(info: Any, elem: Any, elem_: Any) -> None:
    """Puts what was made of an op or a tensor into the collections that this is in.

    TensorFlow's own keep their names, others get the new scope.
    """
    known = util.get_predefined_collection_names()
    for name, collection in info.collections.items():
        if elem in collection:
            info.graph_.add_to_collection(name if name in known else info.new_name(name), elem_)


def transform_op_if_inside_handler(info: Any, op: Any, keep_if_possible: bool = True) -> Any:
    """What became of an op: the op itself if it is outside and the graph is the same, else None."""
    if op in info.ops:
        return info.transformed_ops[op]
    return op if keep_if_possible and info.graph is info.graph_ else None


def copy_op_handler(info: Any, op: Any, new_inputs: Any, copy_shape: bool = False, nodedef_fn: Any = None) -> Any:
    """Copies an op.

    Args:
        info: Of the copying.
        op: The op.
        new_inputs: The copy's inputs.
        copy_shape: Whether its outputs are given the shapes, too.
        nodedef_fn: From the copy's NodeDef to the one that is taken.

    Returns:
        The copy, and its outputs.
    """
    if isinstance(new_inputs, bool):
        raise TypeError("new_inputs: it can't be iterated. Give a list of tensors.")
    node = type(op.node_def)()
    node.CopyFrom(op.node_def)
    node.name = info.graph_.unique_name(info.new_name(op.name))
    if nodedef_fn is not None:
        node = nodedef_fn(node)
    copied = make_op(info.graph_, node, op, new_inputs)
    if copy_shape:
        for t, t_ in zip(op.outputs, copied.outputs):
            t_.set_shape(t.get_shape())
    if getattr(op, "_original_op", None):
        copied._original_op = op._original_op
    return copied, copied.outputs


class TransformerInfo:
    """What became of what.

    Args:
        info: Of the copying.
    """

    def __init__(self, info: Any) -> None:
        self._graph = info.graph
        self._scope = info.scope
        self._graph_ = info.graph_
        self._scope_ = info.scope_
        self._transformed_ops = info.transformed_ops
        self._transformed_ts = info.transformed_ts

    def _map_of(self, top: Any) -> Any:
        for kind, found in ((tf.Operation, self._transformed_ops), (tf.Tensor, self._transformed_ts)):
            if isinstance(top, kind):
                return found
        raise TypeError(f"Expected a tf.Tensor or a tf.Operation, got a {type(top)}")

    def transformed(self, original: Any, missing_fn: Any = None) -> Any:
        """What became of ops and tensors.

        Args:
            original: An op or a tensor, or a tree of such.
            missing_fn: From what wasn't copied to what is returned for it, None by default.
        """

        def one(top: Any) -> Any:
            found = self._map_of(top)
            if top in found:
                return found[top]
            return None if missing_fn is None else missing_fn(top)

        return util.transform_tree(original, one)

    def original(self, transformed: Any, missing_fn: Any = None) -> Any:
        """What ops and tensors were made of. Arguments are `transformed`'s, the other way round."""

        def one(top: Any) -> Any:
            for before, after in self._map_of(top).items():
                if after is top:
                    return before
            return None if missing_fn is None else missing_fn(top)

        return util.transform_tree(transformed, one)

    def __str__(self) -> str:
        lines = ["Transform result info:"]
        if self._graph is self._graph_:
            lines.append(f"  Within graph[{id(self._graph)}]{'' if self._scope_ else ' IN-PLACE'}")
        else:
            lines.append(f"  graph[{id(self._graph)}] => graph[{id(self._graph_)}]")
        if self._scope:
            lines.append(f"  Relative to source scope: {self._scope}")
        if self._scope_:
            lines.append(f"  Scope destination: {self._scope_}")
        lines.append("Operations mapping:")
        lines += [f"  {op.name} => {op_.name}" for op, op_ in self._transformed_ops.items()]
        return "\n".join(lines) + "\n"


class _TmpInfo:
    """What handlers are told. A name that ends with an underscore is of the copy."""

    def __init__(self, sgv: Any, dst_graph: Any, dst_scope: str, src_scope: str) -> None:
        self.sgv = sgv
        self.sgv_inputs_set = frozenset(sgv.inputs)
        self.ops = frozenset(sgv.ops)
        self.control_outputs = util.ControlOutputs(sgv.graph)
        self.graph = sgv.graph
        self.scope = src_scope
        self.graph_ = dst_graph
        self.scope_ = dst_scope
        self.transformed_ops: dict[Any, Any] = {}
        self.transformed_ts: dict[Any, Any] = {}
        self.collections = {key: self.graph.get_collection(key) for key in self.graph.get_all_collection_keys()}
        # Tensors that are taken before they are copied, what is taken in their place, and by whom.
        self.tmp_cyclic_ts: list[tuple[Any, Any, Any]] = []

    def new_name(self, name: str) -> str:
        """A name below the new scope."""
        if not name.startswith(self.scope):
            raise ValueError(f"{name} does not belong to source scope: {self.scope}.")
        return self.scope_ + name[len(self.scope) :]


class Transformer:
    """Copies a part of a graph; its attributes are functions that decide how, and can be replaced.

    `transform_op_handler` copies an op, `transform_external_input_handler` makes an input of one from outside,
    `transform_external_hidden_input_handler` of one that the view doesn't have among its inputs,
    `transform_control_input_handler` an op that is waited for, `assign_collections_handler` fills collections.
    """

    def __init__(self) -> None:
        self.transform_op_handler: Callable[..., Any] = copy_op_handler
        self.transform_control_input_handler: Callable[..., Any] = transform_op_if_inside_handler
        self.assign_collections_handler: Callable[..., Any] = assign_renamed_collections_handler
        self.transform_external_input_handler: Callable[..., Any] = replace_t_with_placeholder_handler
        self.transform_external_hidden_input_handler: Callable[..., Any] = keep_t_if_possible_handler
        self.transform_original_op_handler: Callable[..., Any] = transform_op_if_inside_handler

    def __call__(
        self, sgv: Any, dst_graph: Any, dst_scope: str, src_scope: str = "", reuse_dst_scope: bool = False
    ) -> tuple[Any, TransformerInfo]:
        """Copies.

        Args:
            sgv: The part.
            dst_graph: The graph that the copy is made in.
            dst_scope: Its scope there, made unique.
            src_scope: The scope here that it takes the place of.
            reuse_dst_scope: Whether the scope is taken as it is.

        Returns:
            A view of the copy, and what became of what.
        """
        sgv = subgraph.make_view(sgv)
        _check_graph(dst_graph)
        dst_scope = util.scope_finalize(dst_scope)
        if dst_scope and not reuse_dst_scope:
            dst_scope = util.scope_finalize(dst_graph.unique_name(dst_scope[:-1]))
        info = _TmpInfo(sgv, dst_graph, dst_scope, util.scope_finalize(src_scope))
        self._copy_ops(info)
        self._finalize_cycles(info)
        self._connect_control_inputs(info)
        copied = subgraph.SubGraphView(list(info.transformed_ops.values()))

        def same(ts: Any, ts_: Any) -> list[Any]:
            made = [info.transformed_ts.get(t) for t in ts]
            return [t_ for t_ in made if t_ is not None and t_ in ts_]

        view = copied.remap(same(sgv.inputs, list(copied.inputs)), same(sgv.outputs, list(copied.outputs)))
        return view, TransformerInfo(info)

    def _copy_ops(self, info: Any) -> None:
        for op in sorted(info.sgv.ops, key=lambda op: op._id):
            inputs = [self._transformed_t(info, t, op) for t in op.inputs]
            copied, outputs = self.transform_op_handler(info, op, inputs)
            if op is copied:
                raise ValueError("In-place transformation not allowed.")
            info.transformed_ops[op] = copied
            self.assign_collections_handler(info, op, copied)
            for t, t_ in zip(op.outputs, outputs):
                info.transformed_ts[t] = t_
                self.assign_collections_handler(info, t, t_)

    def _transformed_t(self, info: Any, t: Any, consumer_op: Any) -> Any:
        if t in info.transformed_ts:
            return info.transformed_ts[t]
        if t in info.sgv_inputs_set:
            return self.transform_external_input_handler(info, t)
        if t.op not in info.ops:
            return self.transform_external_hidden_input_handler(info, t)
        # A loop: something else is taken until the tensor is there.
        if consumer_op.type == "Merge":
            instead = self._transformed_t(info, consumer_op.inputs[0], consumer_op)
        elif t.op.type == "Enter":
            instead = self._transformed_t(info, t.op.inputs[0], consumer_op)
        else:
            with info.graph_.as_default():
                instead = util.make_placeholder_from_tensor(t, scope=info.scope_, prefix="geph_tmp")
        info.tmp_cyclic_ts.append((t, instead, consumer_op))
        return instead

    def _finalize_cycles(self, info: Any) -> None:
        for t, instead, consumer_op in info.tmp_cyclic_ts:
            taker = info.transformed_ops[consumer_op]
            # A Merge takes the same tensor twice: the place is the one at which the loop comes back.
            at = [i for i, before in enumerate(consumer_op.inputs) if before is t and taker.inputs[i] is instead]
            taker._update_input(at[0], info.transformed_ts[t])

    def _connect_control_inputs(self, info: Any) -> None:
        for op in info.sgv.ops:
            copied = info.transformed_ops[op]
            if getattr(op, "_original_op", None):
                original = self.transform_original_op_handler(info, op._original_op)
                if original is not None:
                    copied._original_op = original
            waited_for = [self.transform_control_input_handler(info, before) for before in op.control_inputs]
            reroute.add_control_inputs(copied, [before for before in waited_for if before is not None])


def _check_graph(graph: Any) -> None:
    if not isinstance(graph, tf.Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")


def copy(
    sgv: Any, dst_graph: Any = None, dst_scope: str = "", src_scope: str = "", reuse_dst_scope: bool = False
) -> tuple[Any, TransformerInfo]:
    """Copies a part of a graph: placeholders are its inputs. Arguments and result are `Transformer.__call__`'s."""
    sgv = subgraph.make_view(sgv)
    dst_graph = sgv.graph if dst_graph is None else dst_graph
    return Transformer()(sgv, dst_graph, dst_scope, src_scope, reuse_dst_scope=reuse_dst_scope)


def copy_with_input_replacements(
    sgv: Any,
    replacement_ts: dict[Any, Any],
    dst_graph: Any = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[Any, TransformerInfo]:
    """Copies a part of a graph with other inputs; those that aren't replaced stay, in the same graph.

    Args:
        sgv: The part.
        replacement_ts: Of inputs, what is taken in their place.
        dst_graph: As `Transformer.__call__` has it, like the others.
        dst_scope: The same.
        src_scope: The same.
        reuse_dst_scope: The same.

    Returns:
        A view of the copy, and what became of what.
    """
    sgv = subgraph.make_view(sgv)
    dst_graph = sgv.graph if dst_graph is None else dst_graph

    def replaced(info: Any, t: Any) -> Any:
        return replacement_ts[t] if t in replacement_ts else keep_t_if_possible_handler(info, t)

    copier = Transformer()
    copier.transform_external_input_handler = replaced
    return copier(sgv, dst_graph, dst_scope, src_scope, reuse_dst_scope=reuse_dst_scope)


def graph_replace(
    target_ts: Any,
    replacement_ts: dict[Any, Any],
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> Any:
    """Tensors as they would be with other inputs: what lies between is copied.

    Args:
        target_ts: A tensor, or a tree of tensors.
        replacement_ts: Of tensors that they come of, what is taken in their place.
        dst_scope: As `Transformer.__call__` has it, like the others.
        src_scope: The same.
        reuse_dst_scope: The same.

    Returns:
        The same tree; what comes of none of the replaced tensors is as it was.

    Raises:
        ValueError: No target comes of them.
    """
    targets = util.flatten_tree(target_ts)
    graph = util.get_unique_graph(targets, check_types=tf.Tensor)
    control_ios = util.ControlOutputs(graph)
    ops = select.get_walks_intersection_ops(list(replacement_ts), targets, control_ios=control_ios)
    if not ops:
        raise ValueError(
            "target_ts, replacement_ts: no way leads from the replacements to a target. Give tensors that lie on one."
        )
    _add_loops(ops, control_ios)
    _, info = copy_with_input_replacements(ops, replacement_ts, None, dst_scope, src_scope, reuse_dst_scope)
    return info.transformed(target_ts, lambda t: t)


def _add_loops(ops: list[Any], control_ios: Any) -> None:
    """Adds all of a while loop of which a part is there."""
    for context in dict.fromkeys(op._control_flow_context for op in ops):
        if context is not None and context.IsWhileContext():
            enters, exits = ([t.op for t in ts] for ts in (context.loop_enters, context.loop_exits))
            util.concatenate_unique(ops, select.get_walks_intersection_ops(enters, exits, control_ios=control_ios))
