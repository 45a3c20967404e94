# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Copying ops and variables from one graph to another."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.graph_editor._ops import make_op


def copy_variable_to_graph(org_instance: Any, to_graph: Any, scope: str = "") -> Any:
    """Copies a variable with the value that it is initialized with.

    Args:
        org_instance: The variable.
        to_graph: The other graph.
        scope: What comes before its name there, and before the names of collections that aren't TensorFlow's.

    Returns:
        The variable there.

    Raises:
        TypeError: It isn't a variable.
    """
    if not isinstance(org_instance, tf.Variable):
        raise TypeError(f"{org_instance} is not a Variable")
    everywhere = (tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES)
    graph = org_instance.graph
    with graph.as_default(), tf.Session() as session:
        value = session.run(org_instance.initialized_value())
    with to_graph.as_default():
        return tf.Variable(
            value,
            trainable=org_instance in graph.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES),
            name=_name(org_instance.op.name, scope),
            collections=[key if key in everywhere else _name(key, scope) for key in _collections(org_instance)],
            validate_shape=False,
        )


def copy_op_to_graph(org_instance: Any, to_graph: Any, variables: Any, scope: str = "") -> Any:
    """Copies an op or a tensor, and what it comes of; what is there already is taken.

    Args:
        org_instance: The op or tensor.
        to_graph: The other graph.
        variables: The variables that were copied there.
        scope: What comes before names there.

    Returns:
        The op or tensor there.

    Raises:
        TypeError: It is neither.
    """
    name = _name(org_instance.name, scope)
    if name in [variable.name for variable in variables]:
        return to_graph.get_tensor_by_name(name)
    try:
        return to_graph.as_graph_element(name, allow_tensor=True, allow_operation=True)
    except (KeyError, ValueError):
        pass

    def copied(each: Any) -> Any:
        return copy_op_to_graph(each, to_graph, variables, scope)

    if isinstance(org_instance, tf.Tensor):
        tensor = copied(org_instance.op).outputs[org_instance.value_index]
        for key in _collections(org_instance):
            to_graph.add_to_collection(_name(key, scope), tensor)
        return tensor
    if not isinstance(org_instance, tf.Operation):
        raise TypeError(f"Could not copy instance: {org_instance}")
    before, inputs = [copied(op) for op in org_instance.control_inputs], [copied(t) for t in org_instance.inputs]
    node = type(org_instance.node_def)()
    node.CopyFrom(org_instance.node_def)
    node.name = name
    made = make_op(to_graph, node, org_instance, inputs)
    made._add_control_inputs(before)
    return made


def get_copied_op(org_instance: Any, graph: Any, scope: str = "") -> Any:
    """What an op, a tensor or a variable became there.

    Args:
        org_instance: The op, tensor or variable.
        graph: The graph that it was copied to.
        scope: What came before its name.
    """
    return graph.as_graph_element(_name(org_instance.name, scope), allow_tensor=True, allow_operation=True)


def _name(name: str, scope: str) -> str:
    return f"{scope}/{name}" if scope else name


def _collections(element: Any) -> list[Any]:
    graph = element.graph
    return [
        key for key in graph.get_all_collection_keys() if any(each is element for each in graph.get_collection(key))
    ]
