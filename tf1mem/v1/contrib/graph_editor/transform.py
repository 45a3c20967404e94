# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Copying subgraphs, with handlers that can change the copy."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.graph_editor import reroute, select, subgraph, util
from tf1mem.v1.contrib.graph_editor._ops import make_op


def replace_t_with_placeholder_handler(info: Any, t: Any) -> Any:
    """Returns a placeholder with the dtype and shape of a tensor.

    Args:
        info: State of the copy, a `_TmpInfo`.
        t: Tensor of any shape.
    """
    with info.graph_.as_default():
        return util.make_placeholder_from_tensor(t, scope=info.scope_)


def keep_t_if_possible_handler(info: Any, t: Any) -> Any:
    """Returns the tensor itself within its own graph, else a placeholder of its dtype and shape.

    Args:
        info: State of the copy, a `_TmpInfo`.
        t: Tensor of any shape.
    """
    return t if info.graph is info.graph_ else replace_t_with_placeholder_handler(info, t)


def assign_renamed_collections_handler(info: Any, elem: Any, elem_: Any) -> None:
    """Adds the copy of an op or tensor to the collections of the original.

    TensorFlow's own collections keep their names, others get the new scope.

    Args:
        info: State of the copy, a `_TmpInfo`.
        elem: Original op or tensor of any shape.
        elem_: Copy of `elem`.
    """
    known = util.get_predefined_collection_names()
    for name, collection in info.collections.items():
        if elem in collection:
            info.graph_.add_to_collection(name if name in known else info.new_name(name), elem_)


def transform_op_if_inside_handler(info: Any, op: Any, keep_if_possible: bool = True) -> Any:
    """Returns the copy of an op.

    For an op outside of the subgraph, returns the op itself if the copy is in the same graph, else None.

    Args:
        info: State of the copy, a `_TmpInfo`.
        op: The tf.Operation whose copy to return.
        keep_if_possible: False to return None for every op outside.
    """
    if op in info.ops:
        return info.transformed_ops[op]
    return op if keep_if_possible and info.graph is info.graph_ else None


def copy_op_handler(info: Any, op: Any, new_inputs: Any, copy_shape: bool = False, nodedef_fn: Any = None) -> Any:
    """Copies an op.

    Args:
        info: State of the copy, a `_TmpInfo`.
        op: The tf.Operation to copy.
        new_inputs: Input tensors of the copy, of any shape that the op accepts.
        copy_shape: True to copy the shapes of the outputs, too.
        nodedef_fn: Function of the copy's NodeDef that returns the NodeDef to use.

    Returns:
        The copy, and its outputs.

    Raises:
        TypeError: `new_inputs` is a bool.
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
    """Maps ops and tensors, of any shape, to their copies.

    Args:
        info: State of the copy, a `_TmpInfo`.
    """

    def __init__(self, info: Any) -> None:
        self._graph = info.graph
        self._scope = info.scope
        self._graph_ = info.graph_
        self._scope_ = info.scope_
        self._transformed_ops = info.transformed_ops
        self._transformed_ts = info.transformed_ts

    def _map_of(self, top: Any) -> Any:
        for kind, mapping in ((tf.Operation, self._transformed_ops), (tf.Tensor, self._transformed_ts)):
            if isinstance(top, kind):
                return mapping
        raise TypeError(f"Expected a tf.Tensor or a tf.Operation, got a {type(top)}")

    def transformed(self, original: Any, missing_fn: Any = None) -> Any:
        """Returns the copies of ops and tensors.

        Args:
            original: An op, a tensor of any shape, or a tree of these.
            missing_fn: Function of an element without a copy that returns its result; None by default.
        """

        def lookup(top: Any) -> Any:
            """Returns the copy of an op or of a tensor of any shape."""
            mapping = self._map_of(top)
            if top in mapping:
                return mapping[top]
            return None if missing_fn is None else missing_fn(top)

        return util.transform_tree(original, lookup)

    def original(self, transformed: Any, missing_fn: Any = None) -> Any:
        """Returns the originals of copied ops and tensors.

        Args:
            transformed: An op, a tensor of any shape, or a tree of these.
            missing_fn: Function of an element without an original that returns its result; None by default.
        """

        def lookup(top: Any) -> Any:
            """Returns the original of an op or of a tensor of any shape."""
            for before, after in self._map_of(top).items():
                if after is top:
                    return before
            return None if missing_fn is None else missing_fn(top)

        return util.transform_tree(transformed, lookup)

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
    """Holds the state of a copy for handlers; names that end with an underscore refer to the copy."""

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
        # Tensors that are consumed before they are copied, their temporary substitutes, and their consumers.
        self.tmp_cyclic_ts: list[tuple[Any, Any, Any]] = []

    def new_name(self, name: str) -> str:
        """Returns the name of a copy: the original's name with the destination scope in place of the source scope.

        Raises:
            ValueError: The original isn't in the source scope.
        """
        if not name.startswith(self.scope):
            raise ValueError(f"{name} does not belong to source scope: {self.scope}.")
        return self.scope_ + name[len(self.scope) :]


class Transformer:
    """Copies a subgraph, with tensors of the same shapes, by handlers: attributes that can be replaced.

    `transform_op_handler` copies an op, `transform_external_input_handler` maps an input from outside,
    `transform_external_hidden_input_handler` maps an input from outside that isn't among the view's inputs,
    `transform_control_input_handler` maps a control input, and `assign_collections_handler` fills collections.
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
        """Copies a subgraph; the copies of tensors have the shapes of their originals.

        Args:
            sgv: `SubGraphView`, or an argument of `make_view`.
            dst_graph: The tf.Graph of the copy.
            dst_scope: Scope of the copy, which is made unique.
            src_scope: Scope of the original, which is replaced by `dst_scope`.
            reuse_dst_scope: True to use `dst_scope` as it is.

        Returns:
            View of the copy, and the `TransformerInfo`.
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
            """Returns the copies, of the same shapes, of those tensors whose copies are in `ts_`."""
            copies = [info.transformed_ts.get(t) for t in ts]
            return [t_ for t_ in copies if t_ is not None and t_ in ts_]

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
        """Returns the tensor that replaces `t` in the copy; within a loop, a substitute until there is one."""
        if t in info.transformed_ts:
            return info.transformed_ts[t]
        if t in info.sgv_inputs_set:
            return self.transform_external_input_handler(info, t)
        if t.op not in info.ops:
            return self.transform_external_hidden_input_handler(info, t)
        # A loop: a substitute is used until the tensor is copied.
        if consumer_op.type == "Merge":
            substitute = self._transformed_t(info, consumer_op.inputs[0], consumer_op)
        elif t.op.type == "Enter":
            substitute = self._transformed_t(info, t.op.inputs[0], consumer_op)
        else:
            with info.graph_.as_default():
                substitute = util.make_placeholder_from_tensor(t, scope=info.scope_, prefix="geph_tmp")
        info.tmp_cyclic_ts.append((t, substitute, consumer_op))
        return substitute

    def _finalize_cycles(self, info: Any) -> None:
        for t, substitute, consumer_op in info.tmp_cyclic_ts:
            consumer = info.transformed_ops[consumer_op]
            # A Merge has the substitute twice; the input of the back edge is the one that was `t` in the original.
            at = [i for i, before in enumerate(consumer_op.inputs) if before is t and consumer.inputs[i] is substitute]
            consumer._update_input(at[0], info.transformed_ts[t])

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
    """Copies a subgraph, with placeholders of the same shapes as its inputs.

    Args:
        sgv: `SubGraphView`, or an argument of `make_view`.
        dst_graph: The tf.Graph of the copy; the original's by default.
        dst_scope: Scope of the copy, which is made unique.
        src_scope: Scope of the original, which is replaced by `dst_scope`.
        reuse_dst_scope: True to use `dst_scope` as it is.

    Returns:
        View of the copy, and the `TransformerInfo`.
    """
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
    """Copies a subgraph with replaced inputs; other inputs are kept within the same graph.

    Args:
        sgv: `SubGraphView`, or an argument of `make_view`.
        replacement_ts: Dict of input tensor -> replacement, of any compatible shape.
        dst_graph: The tf.Graph of the copy; the original's by default.
        dst_scope: Scope of the copy, which is made unique.
        src_scope: Scope of the original, which is replaced by `dst_scope`.
        reuse_dst_scope: True to use `dst_scope` as it is.

    Returns:
        View of the copy, and the `TransformerInfo`.
    """
    sgv = subgraph.make_view(sgv)
    dst_graph = sgv.graph if dst_graph is None else dst_graph

    def replaced(info: Any, t: Any) -> Any:
        """Returns the replacement of an input, of a compatible shape."""
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
    """Returns tensors recomputed from replaced tensors, by a copy of the ops between them.

    Args:
        target_ts: A tensor of any shape, or a tree of tensors.
        replacement_ts: Dict of tensor on which targets depend -> replacement, of any compatible shape.
        dst_scope: Scope of the copy, which is made unique.
        src_scope: Scope of the original, which is replaced by `dst_scope`.
        reuse_dst_scope: True to use `dst_scope` as it is.

    Returns:
        Tree of the same structure; tensors that depend on no replaced tensor are unchanged.

    Raises:
        ValueError: No target depends on a replaced tensor.
    """
    targets = util.flatten_tree(target_ts)
    graph = util.get_unique_graph(targets, check_types=tf.Tensor)
    control_ios = util.ControlOutputs(graph)
    ops = select.get_walks_intersection_ops(list(replacement_ts), targets, control_ios=control_ios)
    if not ops:
        raise ValueError(
            "target_ts, replacement_ts: no path leads from a replaced tensor to a target. Give tensors on such a path."
        )
    _add_loops(ops, control_ios)
    _, info = copy_with_input_replacements(ops, replacement_ts, None, dst_scope, src_scope, reuse_dst_scope)
    return info.transformed(target_ts, lambda t: t)


def _add_loops(ops: list[Any], control_ios: Any) -> None:
    """Completes while loops of which some ops are selected."""
    for context in dict.fromkeys(op._control_flow_context for op in ops):
        if context is not None and context.IsWhileContext():
            enters, exits = ([t.op for t in ts] for ts in (context.loop_enters, context.loop_exits))
            util.concatenate_unique(ops, select.get_walks_intersection_ops(enters, exits, control_ios=control_ios))
