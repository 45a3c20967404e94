# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Copying ops and variables from one graph to another."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.graph_editor._ops import make_op


def copy_variable_to_graph(org_instance: Any, to_graph: Any, scope: str = "") -> Any:
    """Copies a variable to another graph; the original's initializer computes the copy's initial value.

    Args:
        org_instance: The variable, of any shape.
        to_graph: The other graph.
        scope: Prefix of the variable's name and of its collections' names, except `GLOBAL_VARIABLES` and
            `TRAINABLE_VARIABLES`.

    Returns:
        Copied variable.

    Raises:
        TypeError: `org_instance` isn't a variable.
    """
    if not isinstance(org_instance, tf.Variable):
        raise TypeError(f"{org_instance} is not a Variable. Name a tf.Variable.")
    unprefixed = (tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES)
    graph = org_instance.graph
    with graph.as_default(), tf.Session() as session:
        value = session.run(org_instance.initialized_value())
    with to_graph.as_default():
        return tf.Variable(
            value,
            trainable=org_instance in graph.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES),
            name=_name(org_instance.op.name, scope),
            collections=[key if key in unprefixed else _name(key, scope) for key in _collections(org_instance)],
            validate_shape=False,
        )


def copy_op_to_graph(org_instance: Any, to_graph: Any, variables: Any, scope: str = "") -> Any:
    """Copies an op or tensor to another graph, with all ops it depends on.

    If the other graph already has an element of a copy's name, that element is used instead.

    Args:
        org_instance: The op, or the tensor of any shape.
        to_graph: The other graph.
        variables: Variables that `copy_variable_to_graph` copied to the other graph before.
        scope: Prefix of the names.

    Returns:
        Copied op or tensor.

    Raises:
        TypeError: `org_instance` is neither an op nor a tensor.
    """
    name = _name(org_instance.name, scope)
    if name in [variable.name for variable in variables]:
        return to_graph.get_tensor_by_name(name)
    try:
        return to_graph.as_graph_element(name, allow_tensor=True, allow_operation=True)
    except (KeyError, ValueError):
        pass

    def copied(each: Any) -> Any:
        """Copies an op, or a tensor of any shape, that the original depends on; returns the copy."""
        return copy_op_to_graph(each, to_graph, variables, scope)

    if isinstance(org_instance, tf.Tensor):
        tensor = copied(org_instance.op).outputs[org_instance.value_index]
        for key in _collections(org_instance):
            to_graph.add_to_collection(_name(key, scope), tensor)
        return tensor
    if not isinstance(org_instance, tf.Operation):
        raise TypeError(f"Could not copy instance: {org_instance}. Name an op or a tensor.")
    control_inputs = [copied(op) for op in org_instance.control_inputs]
    inputs = [copied(tensor) for tensor in org_instance.inputs]
    node = type(org_instance.node_def)()
    node.CopyFrom(org_instance.node_def)
    node.name = name
    op_copy = make_op(to_graph, node, org_instance, inputs)
    op_copy._add_control_inputs(control_inputs)
    return op_copy


def get_copied_op(org_instance: Any, graph: Any, scope: str = "") -> Any:
    """Returns the copy that was made of an op, tensor or variable.

    Args:
        org_instance: The original: an op, or a tensor or variable of any shape.
        graph: Graph of the copy.
        scope: Prefix of the copy's name.

    Raises:
        KeyError: The graph has no copy.
    """
    return graph.as_graph_element(_name(org_instance.name, scope), allow_tensor=True, allow_operation=True)


def _name(name: str, scope: str) -> str:
    return f"{scope}/{name}" if scope else name


def _collections(element: Any) -> list[Any]:
    graph = element.graph
    return [
        key for key in graph.get_all_collection_keys() if any(each is element for each in graph.get_collection(key))
    ]
