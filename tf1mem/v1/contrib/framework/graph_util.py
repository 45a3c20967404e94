# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Operations on graphs (tf.contrib.framework)."""

from __future__ import annotations

from typing import Any, Iterable

import tf1mem.v1 as tf


def get_placeholders(graph: Any) -> list[Any]:
    """Returns the placeholders of a graph, tensors of any shape, in the order of their creation.

    Args:
        graph: A tf.Graph.

    Raises:
        TypeError: `graph` isn't a graph.
    """
    if not isinstance(graph, tf.Graph):
        raise TypeError(f"Input graph needs to be a Graph: {graph}")
    return [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]


def fuse_op(
    graph_def: Any,
    input_nodes: list[str],
    output_nodes: list[str],
    output_dtypes: list[Any],
    output_quantized: bool,
    op_name: str,
    op_type: str,
) -> Any:
    """Returns a GraphDef in which a single node replaces the nodes between inputs and outputs; it has no shapes.

    Args:
        graph_def: The GraphDef, which isn't changed.
        input_nodes: Names of the new node's inputs.
        output_nodes: Names of the nodes that keep their names and take the new node as their only input.
        output_dtypes: List of the outputs' dtypes, as DataType numbers.
        output_quantized: True if the outputs are quantized.
        op_name: Name of the new node.
        op_type: Op of the new node.

    Raises:
        TypeError: `graph_def` is no GraphDef, names are no list, or the fused nodes have other inputs than
            `input_nodes`.
        AssertionError: A name isn't in the graph.
    """
    if not isinstance(graph_def, tf.GraphDef):
        raise TypeError("graph_def: this is no GraphDef. Give a tf.GraphDef.")
    for name, value in (("input_nodes", input_nodes), ("output_nodes", output_nodes)):
        if isinstance(value, str):
            raise TypeError(f"{name} must be a list.")
    nodes = {node.name: node for node in graph_def.node}
    node_inputs = {name: [_node(each) for each in node.input] for name, node in nodes.items()}
    for name in [*input_nodes, *output_nodes]:
        assert name in nodes, f"{name} is not in graph"

    input_ancestors = _ancestors(input_nodes, node_inputs)
    output_ancestors = _ancestors(output_nodes, node_inputs)
    fused = output_ancestors - input_ancestors - set(output_nodes)
    for name in fused:
        for each in node_inputs[name]:
            if each in input_ancestors and each not in input_nodes:
                raise TypeError(f"Node {name} uses input {each} not in input_nodes.")

    result = tf.GraphDef()
    result.node.extend(node for node in graph_def.node if node.name in input_ancestors)
    node = result.node.add(name=op_name, op=op_type)
    node.input.extend(input_nodes)
    node.attr["_output_types"].list.type[:] = output_dtypes
    node.attr["_output_quantized"].b = output_quantized
    for number, name in enumerate(output_nodes):
        assert len(nodes[name].input) == 1
        output_node = result.node.add()
        output_node.CopyFrom(nodes[name])
        output_node.input[:] = [f"{op_name}:{number}" if number else op_name]
    result.node.extend(each for each in graph_def.node if each.name not in input_ancestors | output_ancestors)
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result


def _node(name: str) -> str:
    """Returns the name of an input's node: "b" for "^b" and "b:1"."""
    return name.lstrip("^").split(":")[0]


def _ancestors(names: Iterable[str], node_inputs: dict[str, list[str]]) -> set[str]:
    """Returns these nodes and all nodes that they are computed from, by name."""
    ancestors: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in ancestors:
            ancestors.add(name)
            waiting += node_inputs[name]
    return ancestors
