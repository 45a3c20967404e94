# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Functions that the steps of quantization share."""

from __future__ import annotations

import re
from typing import Any

import tf1mem.v1 as tf

# Name prefixes of the ops that quantization ignores: those of training, constants and summaries.
SKIPPED_PREFIXES = ("gradients/", "RMSProp/", "Adagrad/", "Const_", "HistogramSummary", "ScalarSummary")

_ACTIVATIONS = ("Relu6", "Relu", "Identity")
_STEP = "fake_quantization_step"


def BatchNormGroups(graph: Any) -> list[str]:  # noqa: N802
    """Returns the name scopes of batch norms (Ioffe and Szegedy, arXiv:1502.03167) that aren't fused into a single op.

    Args:
        graph: The tf.Graph.
    """
    matches = (re.search("^(.*)BatchNorm/batchnorm", op.name) for op in graph.get_operations())
    groups = dict.fromkeys(match.group(1) for match in matches if match)
    return [group for group in groups if not group.startswith(SKIPPED_PREFIXES)]


def GetEndpointActivationOp(graph: Any, prefix: str) -> Any:  # noqa: N802
    """Returns the activation op (of any shape) whose name is `prefix` and its type, such as Relu6; or None.

    Args:
        graph: The tf.Graph.
        prefix: Name without the op's type, such as "conv1/" for "conv1/Relu6".
    """
    names = {op.name: op for op in graph.get_operations()}
    return next((names[prefix + kind] for kind in _ACTIVATIONS if prefix + kind in names), None)


def CreateOrGetQuantizationStep() -> Any:  # noqa: N802
    """Returns a scalar int64 tensor (shape `[]`) that counts its own evaluations in a variable."""
    graph = tf.get_default_graph()
    try:
        return graph.get_tensor_by_name(_STEP + "/Identity:0")
    except KeyError:
        pass
    with graph.name_scope(None):
        step = tf.get_variable(
            _STEP,
            shape=[],
            dtype=tf.int64,
            initializer=tf.zeros_initializer(),
            trainable=False,
            collections=[tf.GraphKeys.GLOBAL_VARIABLES],
            aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA,
        )
        with graph.name_scope(step.op.name + "/"):
            return tf.identity(tf.assign_add(step, 1))


def DropStringPrefix(s: str, prefix: str) -> str:  # noqa: N802
    """Returns the text without a prefix.

    Args:
        s: The text.
        prefix: The prefix; a text without it is returned unchanged.
    """
    return s[len(prefix) :] if s.startswith(prefix) else s


def RerouteTensor(t0: Any, t1: Any, can_modify: Any = None) -> int:  # noqa: N802
    """Replaces a tensor by another in the inputs of its consumers.

    Args:
        t0: Replacement, of the shape and dtype of `t1`.
        t1: Tensor to replace.
        can_modify: Consumers to change; all by default.

    Returns:
        Number of inputs changed.
    """
    consumers = [op for op in t1.consumers() if can_modify is None or op in can_modify]
    places = {op: [i for i, t in enumerate(op.inputs) if t is t1] for op in consumers}
    for op in consumers:
        for i in places[op]:
            op._update_input(i, t0)
    return sum(len(places[op]) for op in consumers)
