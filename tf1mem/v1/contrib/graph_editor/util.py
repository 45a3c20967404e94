# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Lists of ops and tensors, their neighbours, names and placeholders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Iterator

import tf1mem.v1 as tf

_DEFAULT_PLACEHOLDER_PREFIX = "geph"


def concatenate_unique(la: list[Any], lb: Any) -> list[Any]:
    """Appends to a list what it hasn't got, and returns it."""
    there = set(la)
    for each in lb:
        if each not in there:
            la.append(each)
            there.add(each)
    return la


class ListView:
    """A list that can be read alone."""

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
    """Whether it can be iterated, and is no tensor."""
    if isinstance(obj, tf.Tensor):
        return False
    try:
        iter(obj)
    except Exception:
        return False
    return True


def flatten_tree(tree: Any, leaves: list[Any] | None = None) -> list[Any]:
    """The leaves of a tree of dicts and iterables, appended to a list if one is given."""
    leaves = [] if leaves is None else leaves
    if is_iterable(tree):
        for child in tree.values() if isinstance(tree, dict) else tree:
            flatten_tree(child, leaves)
    else:
        leaves.append(tree)
    return leaves


def transform_tree(tree: Any, fn: Callable[[Any], Any], iterable_type: Any = tuple) -> Any:
    """The tree with a function applied to each leaf.

    Args:
        tree: A tree of dicts, named tuples, sequences and other iterables.
        fn: The function.
        iterable_type: What other iterables become.
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
    """Checks that views, or whatever has a `graph`, are of one graph; None is of any.

    Raises:
        ValueError: They aren't.
    """
    graph = None
    for i, view in enumerate(args):
        if view.graph is None:
            continue
        if graph is not None and view.graph is not graph:
            raise ValueError(f"Argument[{i}]: Wrong graph!")
        graph = view.graph


def get_unique_graph(tops: Any, check_types: Any = None, none_if_empty: bool = False) -> Any:
    """The graph of tensors and ops.

    Args:
        tops: Tensors and ops, or a graph.
        check_types: Of which types they have to be.
        none_if_empty: Whether an empty list is None's.

    Raises:
        TypeError: One is of another type.
        ValueError: They are of several graphs, or of none.
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
    """A list of ops.

    Args:
        ops: An op, an iterable of ops, or a graph.
        check_graph: Whether they have to be of one graph.
        allow_graph: Whether a graph is taken.
        ignore_ts: Whether tensors are left out, and aren't an error.

    Raises:
        TypeError: It isn't ops.
        ValueError: They are of several graphs.
    """
    return _make_list(ops, tf.Operation, tf.Graph.get_operations, check_graph, allow_graph, ignore_ts)


def make_list_of_t(ts: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False) -> list[Any]:
    """A list of tensors.

    Args:
        ts: A tensor, an iterable of tensors, or a graph.
        check_graph: Whether they have to be of one graph.
        allow_graph: Whether a graph is taken.
        ignore_ops: Whether ops are left out, and aren't an error.

    Raises:
        TypeError: It isn't tensors.
        ValueError: They are of several graphs.
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
    """All tensors of a graph."""
    if not isinstance(graph, tf.Graph):
        raise TypeError(f"Expected a graph, got: {type(graph)}")
    return [t for op in graph.get_operations() for t in op.outputs]


def get_generating_ops(ts: Any) -> list[Any]:
    """The ops that tensors come of."""
    return [t.op for t in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts: Any) -> list[Any]:
    """The ops that take tensors."""
    ops: list[Any] = []
    for t in make_list_of_t(ts, allow_graph=False):
        concatenate_unique(ops, t.consumers())
    return ops


class ControlOutputs:
    """The ops that wait for each op of a graph."""

    def __init__(self, graph: Any) -> None:
        if not isinstance(graph, tf.Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
        self._graph = graph
        self._control_outputs: dict[Any, list[Any]] = {}
        self._version: Any = None
        self.update()

    def update(self) -> ControlOutputs:
        """Looks them up again if the graph has changed."""
        if self._version != self._graph.version:
            self._control_outputs.clear()
            for op in self._graph.get_operations():
                for before in op.control_inputs:
                    concatenate_unique(self._control_outputs.setdefault(before, []), [op])
            self._version = self._graph.version
        return self

    def get_all(self) -> dict[Any, list[Any]]:
        """All of them, by op."""
        return self._control_outputs

    def get(self, op: Any) -> Any:
        """Those of an op."""
        return self._control_outputs.get(op, ())

    @property
    def graph(self) -> Any:
        return self._graph


def scope_finalize(scope: Any) -> Any:
    """A scope with a slash at its end."""
    return scope if not scope or scope[-1] == "/" else scope + "/"


def scope_dirname(scope: str) -> str:
    """What comes before the last name, with the slash."""
    return scope[: scope.rfind("/") + 1]


def scope_basename(scope: str) -> str:
    """The last name."""
    return scope[scope.rfind("/") + 1 :]


def placeholder_name(t: Any = None, scope: Any = None, prefix: str = _DEFAULT_PLACEHOLDER_PREFIX) -> Any:
    """A name for a placeholder.

    Args:
        t: The tensor that it stands for, if for one.
        scope: Its scope; the tensor's by default.
        prefix: What it begins with.

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
    """A placeholder in a tensor's place."""
    name = placeholder_name(t, scope=scope, prefix=prefix)
    return tf.placeholder(dtype=t.dtype, shape=t.get_shape(), name=name)


def make_placeholder_from_dtype_and_shape(
    dtype: Any, shape: Any = None, scope: Any = None, prefix: str = _DEFAULT_PLACEHOLDER_PREFIX
) -> Any:
    """A placeholder of that dtype and shape."""
    return tf.placeholder(dtype=dtype, shape=shape, name=placeholder_name(scope=scope, prefix=prefix))


def get_predefined_collection_names() -> list[str]:
    """The names of TensorFlow's own collections."""
    return [getattr(tf.GraphKeys, key) for key in dir(tf.GraphKeys) if not key.startswith("__")]


def find_corresponding_elem(target: Any, dst_graph: Any, dst_scope: str = "", src_scope: str = "") -> Any:
    """The tensor or op of another graph that has the same name, below other scopes.

    Args:
        target: The tensor or op.
        dst_graph: The other graph.
        dst_scope: Where it is below there.
        src_scope: Where it is below here.

    Raises:
        ValueError: It isn't below `src_scope`.
        TypeError: It is neither.
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
    """`find_corresponding_elem` for a tree."""
    return transform_tree(targets, lambda top: find_corresponding_elem(top, dst_graph, dst_scope, src_scope))
