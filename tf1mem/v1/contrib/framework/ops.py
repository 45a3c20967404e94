# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Graphs and name scopes (tf.contrib.framework)."""

from __future__ import annotations

from typing import Any, Iterable

import tf1mem.v1 as tf


def get_graph_from_inputs(op_input_list: Iterable[Any], graph: Any = None) -> Any:
    """Returns the graph of the inputs; the default graph if no input belongs to one.

    Args:
        op_input_list: Tensors (of any shape), ops and variables; other values are ignored.
        graph: Graph that the inputs must belong to.

    Raises:
        ValueError: The inputs belong to different graphs, or to another graph than `graph`.
        TypeError: `graph` isn't a graph.
    """
    current = tf.get_default_graph()
    if current.building_function:
        return current
    if graph is not None and not isinstance(graph, tf.Graph):
        raise TypeError(f"Input graph needs to be a Graph: {graph!r}")
    first = None
    for each in op_input_list:
        input_graph = getattr(each, "graph", None)
        if not isinstance(input_graph, tf.Graph):
            continue
        if graph is None:
            graph, first = input_graph, each
        elif input_graph is not graph:
            if first is None:
                raise ValueError(f"{each} is not from the passed-in graph.")
            raise ValueError(f"{each} must be from the same graph as {first}.")
    return graph or current


def get_name_scope() -> str:
    """Returns the current name scope of the default graph, such as "tower_0/conv1"; "" outside of scopes."""
    name: str = tf.get_default_graph().get_name_scope()
    return name
