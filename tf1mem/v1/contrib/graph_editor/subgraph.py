# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Views of a subgraph with a chosen order of inputs and outputs."""

from __future__ import annotations

import copy
from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.graph_editor import select, util


class SubGraphView:
    """Holds ops, their input and output tensors of any shape, and passthrough tensors.

    The methods don't change a view: `remap` and the like return a new one. Functions that rewire a graph, such as
    `swap_inputs`, change in place the views that they get.

    Args:
        inside_ops: List of tf.Operations.
        passthrough_ts: Tensors that are inputs and outputs at once.
    """

    def __init__(self, inside_ops: Any = (), passthrough_ts: Any = ()) -> None:
        ops, passing = util.make_list_of_op(inside_ops), util.make_list_of_t(passthrough_ts)
        self._graph = util.get_unique_graph(ops + passing) if ops or passing else None
        self._ops = ops
        inputs, outputs, inside = select.compute_boundary_ts(ops)
        at_ops = frozenset(inputs + outputs + inside)
        self._passthrough_ts = [t for t in passing if t not in at_ops]
        self._input_ts = inputs + self._passthrough_ts
        self._output_ts = outputs + self._passthrough_ts

    def __copy__(self) -> SubGraphView:
        view = type(self).__new__(type(self))
        view._assign_from(self)
        return view

    def _assign_from(self, other: SubGraphView) -> None:
        if not isinstance(other, SubGraphView):
            raise TypeError(f"Expected SubGraphView, got: {type(other)}")
        self._graph = other._graph
        self._ops = list(other._ops)
        self._passthrough_ts = list(other._passthrough_ts)
        self._input_ts = list(other._input_ts)
        self._output_ts = list(other._output_ts)

    def copy(self) -> SubGraphView:
        """Returns a copy of the view, with the same ops and the same tensors, of any shape."""
        return copy.copy(self)

    def remap_default(self, remove_input_map: bool = True, remove_output_map: bool = True) -> SubGraphView:
        """Returns a view with the default inputs and outputs, the tensors (of any shape) at the ops' boundary.

        Args:
            remove_input_map: True to reset the inputs.
            remove_output_map: True to reset the outputs.
        """
        view = self.copy()
        inputs, outputs, _ = select.compute_boundary_ts(self._ops)
        if remove_input_map:
            view._input_ts = inputs + view._passthrough_ts
        if remove_output_map:
            view._output_ts = outputs + view._passthrough_ts
        return view

    def remap_outputs_make_unique(self) -> SubGraphView:
        """Returns a view with each output, a tensor of any shape, once."""
        view = self.copy()
        view._output_ts = util.concatenate_unique([], view._output_ts)
        return view

    def remap_outputs_to_consumers(self) -> SubGraphView:
        """Returns a view with each output, a tensor of any shape, once per op that consumes it, inside or outside."""
        view = self.remap_outputs_make_unique()
        view._output_ts = [t for t in view._output_ts for _ in t.consumers()]
        return view

    def remove_unused_ops(self, control_inputs: Any = True) -> SubGraphView:
        """Returns a view without ops that neither depend on inputs nor lead to outputs, tensors of any shape.

        Args:
            control_inputs: True to follow control inputs, too.
        """
        view = self.copy()
        used = select.get_walks_union_ops(
            self.connected_inputs, self.connected_outputs, within_ops=self._ops, control_inputs=control_inputs
        )
        view._ops = [op for op in self._ops if op in used]
        return view

    def remap_inputs(self, new_input_indices: Any) -> SubGraphView:
        """Returns a view with the chosen inputs in the chosen order.

        Args:
            new_input_indices: The chosen inputs, each at most once: tensors (of any shape), or their indices.

        Raises:
            ValueError: An index is out of range, or repeated.
        """
        return self.remap(new_input_indices=new_input_indices)

    def remap_outputs(self, new_output_indices: Any) -> SubGraphView:
        """Returns a view with the chosen outputs in the chosen order.

        Args:
            new_output_indices: The chosen outputs: tensors (of any shape), or their indices.

        Raises:
            ValueError: An index is out of range.
        """
        return self.remap(new_output_indices=new_output_indices)

    def remap(self, new_input_indices: Any = None, new_output_indices: Any = None) -> SubGraphView:
        """Returns a view with the chosen inputs and outputs in the chosen order.

        Args:
            new_input_indices: The chosen inputs: tensors (of any shape), or their indices; None keeps the inputs.
            new_output_indices: The chosen outputs: tensors (of any shape), or their indices; None keeps the outputs.
        """
        view = self.copy()
        if new_input_indices is not None:
            view._input_ts = _chosen(new_input_indices, view._input_ts, repetition=False)
        if new_output_indices is not None:
            view._output_ts = _chosen(new_output_indices, view._output_ts, repetition=True)
        return view

    def find_op_by_name(self, op_name: str) -> Any:
        """Returns the op with a name.

        Args:
            op_name: Name of the op.

        Raises:
            ValueError: No op of the view has that name.
        """
        for op in self._ops:
            if op.name == op_name:
                return op
        raise ValueError(f"{op_name} not in subgraph.")

    def __str__(self) -> str:
        if not self:
            return "SubGraphView: empty"
        lines = [f"SubGraphView (graphid={id(self.graph)}):"]
        for name, members in (("ops", self._ops), ("inputs", self._input_ts), ("outputs", self._output_ts)):
            lines.append(f"** {name}[{len(members)}]:" if members else f"** {name}: empty")
            lines += [f"  {each.name}{' *' if each in self._passthrough_ts else ''}" for each in members]
        return "\n".join(lines) + "\n"

    @property
    def graph(self) -> Any:
        """Returns the tf.Graph, or None for an empty view."""
        return self._graph

    @property
    def ops(self) -> list[Any]:
        """Returns the list of ops."""
        return self._ops

    @property
    def inputs(self) -> util.ListView:
        """Returns a read-only view of the inputs, tensors of any shape."""
        return util.ListView(self._input_ts)

    @property
    def connected_inputs(self) -> list[Any]:
        """Returns the inputs, of any shape, without passthroughs."""
        return [t for t in self._input_ts if t not in self._passthrough_ts]

    @property
    def outputs(self) -> util.ListView:
        """Returns a read-only view of the outputs, tensors of any shape."""
        return util.ListView(self._output_ts)

    @property
    def connected_outputs(self) -> list[Any]:
        """Returns the outputs, of any shape, without passthroughs."""
        return [t for t in self._output_ts if t not in self._passthrough_ts]

    @property
    def passthroughs(self) -> util.ListView:
        """Returns a read-only view of the passthroughs, tensors of any shape."""
        return util.ListView(self._passthrough_ts)

    def __bool__(self) -> bool:
        return self._graph is not None

    def op(self, op_id: int) -> Any:
        """Returns the op at an index.

        Args:
            op_id: Index of the op.
        """
        return self._ops[op_id]

    def is_passthrough(self, t: Any) -> bool:
        """Returns true if a tensor is a passthrough.

        Args:
            t: Tensor of any shape.
        """
        return t in self._passthrough_ts

    def __enter__(self) -> SubGraphView:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def input_index(self, t: Any) -> int:
        """Returns the index of an input.

        Args:
            t: Tensor of any shape.

        Raises:
            ValueError: `t` isn't an input.
        """
        return _index(t, self._input_ts, "inputs")

    def output_index(self, t: Any) -> int:
        """Returns the index of an output.

        Args:
            t: Tensor of any shape.

        Raises:
            ValueError: `t` isn't an output.
        """
        return _index(t, self._output_ts, "outputs")

    def consumers(self) -> list[Any]:
        """Returns the ops outside the view that consume its outputs, tensors of any shape; each op once."""
        inside = frozenset(self._ops)
        consumers = [op for t in self._output_ts for op in t.consumers() if op not in inside]
        return util.concatenate_unique([], consumers)


def _index(t: Any, ts: list[Any], name: str) -> int:
    if t not in ts:
        raise ValueError(f"Can't find {t.name} in {name} of subgraph.")
    return ts.index(t)


def _chosen(indices_or_ts: Any, ts: list[Any], repetition: bool) -> list[Any]:
    indices = [each if isinstance(each, int) else ts.index(each) for each in indices_or_ts]
    for i in indices:
        if not 0 <= i < len(ts):
            raise ValueError(f"Out of [0, {len(ts)}[ range: {i}")
    if not repetition and len(set(indices)) != len(indices):
        raise ValueError(f"Found repetition in mapping: {indices}")
    return [ts[i] for i in indices]


def _check_graph(view: Any, graph: Any) -> Any:
    if not isinstance(view, SubGraphView):
        raise TypeError(f"Expected a SubGraphView, got: {type(view)}")
    if graph is None or not view.graph:
        return view
    if not isinstance(graph, tf.Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    if view.graph is not graph:
        raise ValueError("Graph mismatch.")
    return view


def make_view(*args: Any, **kwargs: Any) -> Any:
    """Returns a view of what `select_ops_and_ts` selects; tensors, of any shape, become passthroughs.

    Args:
        *args: A `SubGraphView`, which is returned unchanged, or arguments of `select_ops_and_ts`.
        **kwargs: Keyword arguments of `select_ops_and_ts`.
    """
    graph = kwargs.get("graph")
    if len(args) == 1 and isinstance(args[0], SubGraphView):
        return _check_graph(args[0], graph)
    return _check_graph(SubGraphView(*select.select_ops_and_ts(*args, **kwargs)), graph)


def make_view_from_scope(scope: str, graph: Any) -> SubGraphView:
    """Returns a view of the ops in a name scope; its inputs and outputs are the tensors, of any shape, at the boundary.

    Args:
        scope: Argument of `get_name_scope_ops`, such as "tower_0/conv1".
        graph: The tf.Graph.
    """
    return SubGraphView(select.get_name_scope_ops(graph, scope))
