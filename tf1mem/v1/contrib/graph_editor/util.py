# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Lists of ops and tensors, their neighbors, names and placeholders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Iterator

import tf1mem.v1 as tf

_DEFAULT_PLACEHOLDER_PREFIX = "geph"


def concatenate_unique(la: list[Any], lb: Any) -> list[Any]:
    """Appends the elements that a list lacks, and returns the list: `[1, 2, 3]` for `[1, 2]` and `[2, 3]`.

    Args:
        la: List to extend.
        lb: Iterable of elements, such as ops.
    """
    ops = set(la)
    for each in lb:
        if each not in ops:
            la.append(each)
            ops.add(each)
    return la


class ListView:
    """Wraps a list, for example of tensors of any shape, for reading only.

    Args:
        list_: The list to wrap.
    """

    def __init__(self, list_: list[Any]) -> None:
        if not isinstance(list_, list):
            raise TypeError(f"Expected a list, got: {type(list_)}.")
        self._list = list_

    def __iter__(self) -> Iterator[Any]:
        return iter(self._list)

    def __len__(self) -> int:
        return len(self._list)

    def __getitem__(self, i: Any) -> Any:
        return self._list[i]

    def __add__(self, other: Any) -> list[Any]:
        return [*self, *other]


def is_iterable(obj: Any) -> bool:
    """Returns true for an iterable that isn't a tensor; a tensor of any shape is a leaf of a tree.

    Args:
        obj: Any object.
    """
    if isinstance(obj, tf.Tensor):
        return False
    try:
        iter(obj)
    except Exception:
        return False
    return True


def flatten_tree(tree: Any, leaves: list[Any] | None = None) -> list[Any]:
    """Returns the leaves of a tree of dicts and iterables.

    Args:
        tree: The tree; tensors of any shape are leaves.
        leaves: List to extend; a new list by default.
    """
    leaves = [] if leaves is None else leaves
    if is_iterable(tree):
        for child in tree.values() if isinstance(tree, dict) else tree:
            flatten_tree(child, leaves)
    else:
        leaves.append(tree)
    return leaves


def transform_tree(tree: Any, fn: Callable[[Any], Any], iterable_type: Any = tuple) -> Any:
    """Returns the tree with a function applied to each leaf.

    Args:
        tree: Tree of dicts, named tuples, sequences and other iterables; tensors of any shape are leaves.
        fn: Function of a leaf.
        iterable_type: Type that other iterables become; tuple by default.
    """
    if not is_iterable(tree):
        return fn(tree)
    if isinstance(tree, dict):
        return type(tree)((key, transform_tree(child, fn)) for key, child in tree.items())
    children = (transform_tree(child, fn) for child in tree)
    if hasattr(tree, "_asdict"):
        return type(tree)(*children)
    kind: Any = type(tree) if isinstance(tree, Sequence) else iterable_type
    return kind(children)


def check_graphs(*args: Any) -> None:
    """Checks that objects with a `graph`, for example views, belong to the same graph; a graph of None fits any.

    Args:
        *args: The objects.

    Raises:
        ValueError: The graphs differ.
    """
    graph = None
    for i, view in enumerate(args):
        if view.graph is None:
            continue
        if graph is not None and view.graph is not graph:
            raise ValueError(f"Argument[{i}]: Wrong graph!")
        graph = view.graph


def get_unique_graph(tops: Any, check_types: Any = None, none_if_empty: bool = False) -> Any:
    """Returns the graph of tensors and ops.

    Args:
        tops: Tensors of any shape and ops, or a graph.
        check_types: Allowed type, or types; tf.Operation and tf.Tensor by default.
        none_if_empty: True to return None for no elements.

    Raises:
        TypeError: An element has another type.
        ValueError: The elements belong to several graphs, or there are none.
    """
    if isinstance(tops, tf.Graph):
        return tops
    if not is_iterable(tops):
        raise TypeError(f"{type(tops)} is not iterable")
    types = (tf.Operation, tf.Tensor) if check_types is None else check_types
    types = tuple(types) if is_iterable(types) else (types,)
    graph = None
    for top in tops:
        if not isinstance(top, types):
            raise TypeError(f"Expected a type in ({', '.join(map(str, types))}), got: {type(top)}")
        graph = graph or top.graph
        if top.graph is not graph:
            raise ValueError(f"Operation {top} does not belong to given graph")
    if graph is None and not none_if_empty:
        raise ValueError("tops: the list is empty, so it has no graph. Give an op, or none_if_empty=True.")
    return graph


def make_list_of_op(ops: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ts: bool = False) -> list[Any]:
    """Returns ops as a list.

    Args:
        ops: An op, an iterable of ops, or a graph.
        check_graph: True to check that the ops belong to the same graph.
        allow_graph: True to accept a graph.
        ignore_ts: True to leave out tensors, false to raise an error for them.

    Raises:
        TypeError: An element isn't an op.
        ValueError: The ops belong to several graphs.
    """
    return _make_list(ops, tf.Operation, tf.Graph.get_operations, check_graph, allow_graph, ignore_ts)


def make_list_of_t(ts: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False) -> list[Any]:
    """Returns tensors, of any shape, as a list.

    Args:
        ts: A tensor, an iterable of tensors, or a graph.
        check_graph: True to check that the tensors belong to the same graph.
        allow_graph: True to accept a graph.
        ignore_ops: True to leave out ops, false to raise an error for them.

    Raises:
        TypeError: An element isn't a tensor.
        ValueError: The tensors belong to several graphs.
    """
    return _make_list(ts, tf.Tensor, get_tensors, check_graph, allow_graph, ignore_ops)


def _make_list(
    tops: Any, kind: Any, of_graph: Callable[[Any], Any], check_graph: bool, allow_graph: bool, ignore_others: bool
) -> list[Any]:
    if isinstance(tops, tf.Graph):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return list(of_graph(tops))
    tops = list(tops) if is_iterable(tops) else [tops]
    if tops and check_graph:
        get_unique_graph(tops, check_types=None if ignore_others else kind)
    return [top for top in tops if isinstance(top, kind)]


def get_tensors(graph: Any) -> list[Any]:
    """Returns all tensors, of any shape, of a graph.

    Args:
        graph: The tf.Graph.

    Raises:
        TypeError: `graph` isn't a tf.Graph.
    """
    if not isinstance(graph, tf.Graph):
        raise TypeError(f"Expected a graph, got: {type(graph)}")
    return [t for op in graph.get_operations() for t in op.outputs]


def get_generating_ops(ts: Any) -> list[Any]:
    """Returns the ops that generate tensors.

    Args:
        ts: Tensors of any shape.
    """
    return [t.op for t in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts: Any) -> list[Any]:
    """Returns the ops that consume tensors.

    Args:
        ts: Tensors of any shape.
    """
    ops: list[Any] = []
    for t in make_list_of_t(ts, allow_graph=False):
        concatenate_unique(ops, t.consumers())
    return ops


class ControlOutputs:
    """Maps each op of a graph to the ops that have it as control input.

    Args:
        graph: The tf.Graph.
    """

    def __init__(self, graph: Any) -> None:
        if not isinstance(graph, tf.Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
        self._graph = graph
        self._control_outputs: dict[Any, list[Any]] = {}
        self._version: Any = None
        self.update()

    def update(self) -> ControlOutputs:
        """Updates the map if the graph has changed, and returns this object."""
        if self._version != self._graph.version:
            self._control_outputs.clear()
            for op in self._graph.get_operations():
                for before in op.control_inputs:
                    concatenate_unique(self._control_outputs.setdefault(before, []), [op])
            self._version = self._graph.version
        return self

    def get_all(self) -> dict[Any, list[Any]]:
        """Returns the dict of op -> ops that have it as control input."""
        return self._control_outputs

    def get(self, op: Any) -> Any:
        """Returns the ops that have `op` as control input.

        Args:
            op: A tf.Operation of the graph.
        """
        return self._control_outputs.get(op, ())

    @property
    def graph(self) -> Any:
        """Returns the tf.Graph."""
        return self._graph


def scope_finalize(scope: Any) -> Any:
    """Returns a scope with a slash at the end.

    Args:
        scope: Name of the scope; None and "" are returned unchanged.
    """
    return scope if not scope or scope[-1] == "/" else scope + "/"


def scope_dirname(scope: str) -> str:
    """Returns a name's scope with a slash at the end.

    Args:
        scope: Name, such as "a/b/c", whose scope is "a/b/".
    """
    return scope[: scope.rfind("/") + 1]


def scope_basename(scope: str) -> str:
    """Returns the last part of a name.

    Args:
        scope: Name, such as "a/b/c", whose last part is "c".
    """
    return scope[scope.rfind("/") + 1 :]


def placeholder_name(t: Any = None, scope: Any = None, prefix: str = _DEFAULT_PLACEHOLDER_PREFIX) -> Any:
    """Returns a name for a placeholder.

    Args:
        t: Tensor of any shape for which the placeholder stands; None for no tensor.
        scope: Scope of the placeholder; the tensor's by default.
        prefix: Prefix of the name.

    Raises:
        TypeError: `t` isn't a tensor.
    """
    scope = scope_finalize(scope)
    if t is None:
        return (scope or "") + prefix
    if not isinstance(t, tf.Tensor):
        raise TypeError(f"Expected a tf.Tensor, got: {type(t)}")
    scope = scope_dirname(t.op.name) if scope is None else scope
    name = scope_basename(t.op.name)
    return scope + (name if name.startswith(prefix + "__") else f"{prefix}__{name}_{t.value_index}")


def make_placeholder_from_tensor(t: Any, scope: Any = None, prefix: str = _DEFAULT_PLACEHOLDER_PREFIX) -> Any:
    """Returns a placeholder with the dtype and shape of a tensor.

    Args:
        t: The tensor.
        scope: Scope of the placeholder; the tensor's by default.
        prefix: Prefix of the name.
    """
    name = placeholder_name(t, scope=scope, prefix=prefix)
    return tf.placeholder(dtype=t.dtype, shape=t.get_shape(), name=name)


def make_placeholder_from_dtype_and_shape(
    dtype: Any, shape: Any = None, scope: Any = None, prefix: str = _DEFAULT_PLACEHOLDER_PREFIX
) -> Any:
    """Returns a placeholder of a dtype and shape.

    Args:
        dtype: A tf.DType.
        shape: The shape; unknown by default.
        scope: Scope of the placeholder; none by default.
        prefix: Prefix of the name.
    """
    return tf.placeholder(dtype=dtype, shape=shape, name=placeholder_name(scope=scope, prefix=prefix))


def get_predefined_collection_names() -> list[str]:
    """Returns the names of TensorFlow's own collections, such as ["trainable_variables", "losses"]."""
    return [getattr(tf.GraphKeys, key) for key in dir(tf.GraphKeys) if not key.startswith("__")]


def find_corresponding_elem(target: Any, dst_graph: Any, dst_scope: str = "", src_scope: str = "") -> Any:
    """Returns the tensor or op of another graph with the same name relative to a scope.

    Args:
        target: Tensor of any shape, or op.
        dst_graph: The other graph.
        dst_scope: Scope in the other graph.
        src_scope: Scope in the graph of `target`.

    Raises:
        ValueError: `target` isn't in `src_scope`.
        TypeError: `target` is neither a tensor nor an op.
    """
    name, source = target.name, scope_finalize(src_scope)
    if not name.startswith(source):
        raise ValueError(f"{name} does not start with {source}")
    name = scope_finalize(dst_scope) + name[len(source) :]
    if isinstance(target, tf.Operation):
        return dst_graph.get_operation_by_name(name)
    if isinstance(target, tf.Tensor):
        return dst_graph.get_tensor_by_name(name)
    raise TypeError(f"Expected tf.Tensor or tf.Operation, got: {type(target)}")


def find_corresponding(targets: Any, dst_graph: Any, dst_scope: str = "", src_scope: str = "") -> Any:
    """Returns the tree with each element replaced by `find_corresponding_elem`.

    Args:
        targets: Tree of ops and tensors of any shape.
        dst_graph: The other graph.
        dst_scope: Scope in the other graph.
        src_scope: Scope in the graph of the targets.
    """
    return transform_tree(targets, lambda top: find_corresponding_elem(top, dst_graph, dst_scope, src_scope))
