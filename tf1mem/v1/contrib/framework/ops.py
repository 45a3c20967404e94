# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Graphs and name scopes, by tf.contrib.framework."""

from __future__ import annotations

from typing import Any, Iterable

import tf1mem.v1 as tf


def get_graph_from_inputs(op_input_list: Iterable[Any], graph: Any = None) -> Any:
    """The graph that inputs are in; the default graph where none of them is in one.

    Args:
        op_input_list: Tensors, ops, variables, or anything else, which is passed over.
        graph: The graph that they have to be in.

    Raises:
        ValueError: They are in different graphs, or not in `graph`.
        TypeError: `graph` is no graph.
    """
    current = tf.get_default_graph()
    if current.building_function:
        return current
    if graph is not None and not isinstance(graph, tf.Graph):
        raise TypeError(f"Input graph needs to be a Graph: {graph!r}")
    first = None
    for each in op_input_list:
        of_input = getattr(each, "graph", None)
        if not isinstance(of_input, tf.Graph):
            continue
        if graph is None:
            graph, first = of_input, each
        elif of_input is not graph:
            if first is None:
                raise ValueError(f"{each} is not from the passed-in graph.")
            raise ValueError(f"{each} must be from the same graph as {first}.")
    return graph or current


def get_name_scope() -> str:
    """The name scope in force."""
    name: str = tf.get_default_graph().get_name_scope()
    return name
