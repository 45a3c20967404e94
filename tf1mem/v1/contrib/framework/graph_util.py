# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Graphs taken apart and put together, by tf.contrib.framework."""

from __future__ import annotations

from typing import Any, Iterable

import tf1mem.v1 as tf


def get_placeholders(graph: Any) -> list[Any]:
    """The placeholders of a graph, in the order in which they were made.

    Raises:
        TypeError: It is no graph.
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
    """A GraphDef in which one node stands for what computes some nodes from others.

    Args:
        graph_def: The GraphDef, which is left as it is.
        input_nodes: Names of the nodes that the new one takes.
        output_nodes: Names of the nodes that it gives; each stays, with the new node as its one input.
        output_dtypes: Their types, as numbers of DataType.
        output_quantized: Whether they are quantized.
        op_name: The new node's name.
        op_type: The new node's op.

    Raises:
        TypeError: The graph is no GraphDef, names are no list, or what is to be fused takes more than `input_nodes`.
        AssertionError: There is no node of a name.
    """
    if not isinstance(graph_def, tf.GraphDef):
        raise TypeError("graph_def: it is no GraphDef. Give a tf.GraphDef.")
    for name, value in (("input_nodes", input_nodes), ("output_nodes", output_nodes)):
        if isinstance(value, str):
            raise TypeError(f"{name} must be a list.")
    nodes = {node.name: node for node in graph_def.node}
    takes = {name: [_node(each) for each in node.input] for name, node in nodes.items()}
    for name in [*input_nodes, *output_nodes]:
        assert name in nodes, f"{name} is not in graph"

    before = _reached(input_nodes, takes)
    behind_outputs = _reached(output_nodes, takes)
    fused = behind_outputs - before - set(output_nodes)
    for name in fused:
        for each in takes[name]:
            if each in before and each not in input_nodes:
                raise TypeError(f"Node {name} uses input {each} not in input_nodes.")

    result = tf.GraphDef()
    result.node.extend(node for node in graph_def.node if node.name in before)
    node = result.node.add(name=op_name, op=op_type)
    node.input.extend(input_nodes)
    node.attr["_output_types"].list.type[:] = output_dtypes
    node.attr["_output_quantized"].b = output_quantized
    for number, name in enumerate(output_nodes):
        assert len(nodes[name].input) == 1
        kept = result.node.add()
        kept.CopyFrom(nodes[name])
        kept.input[:] = [f"{op_name}:{number}" if number else op_name]
    result.node.extend(each for each in graph_def.node if each.name not in before | behind_outputs)
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result


def _node(name: str) -> str:
    """The node of an input: "^b" and "b:1" are b's."""
    return name.lstrip("^").split(":")[0]


def _reached(names: Iterable[str], takes: dict[str, list[str]]) -> set[str]:
    """Nodes, and all that they are computed from."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += takes[name]
    return found
