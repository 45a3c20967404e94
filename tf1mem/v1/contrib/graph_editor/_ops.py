# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Creation of an op from a NodeDef."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def make_op(graph: Any, node: Any, like: Any, inputs: Any) -> Any:
    """Creates an op in a graph, because the constructor of Operation no longer takes a NodeDef.

    Args:
        graph: The tf.Graph.
        node: NodeDef with a name that is unique in the graph; its inputs are ignored.
        like: Op of the same type, with inputs and outputs of the same dtypes.
        inputs: Input tensors, of any shape that the op accepts.

    Returns:
        The new op.
    """
    with graph.as_default(), tf.control_dependencies(None):
        op = graph._create_op_internal(
            node.op,
            list(inputs),
            [t.dtype for t in like.outputs],
            input_types=[t.dtype for t in like.inputs],
            name=node.name + "/",  # The slash keeps the name as it is, without a number.
            attrs=dict(node.attr),
            op_def=like.op_def,
            compute_device=False,
        )
    op._set_device(node.device)
    return op
