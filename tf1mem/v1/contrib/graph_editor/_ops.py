# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Making an op as another one is."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def make_op(graph: Any, node: Any, like: Any, inputs: Any) -> Any:
    """Makes an op in a graph: an Operation can no longer be built of a NodeDef.

    Args:
        graph: The graph.
        node: The NodeDef, of a name that is unique there; its inputs don't count.
        like: An op of the same type, whose inputs and outputs have the same dtypes.
        inputs: The inputs.
    """
    with graph.as_default(), tf.control_dependencies(None):
        made = graph._create_op_internal(
            node.op,
            list(inputs),
            [t.dtype for t in like.outputs],
            input_types=[t.dtype for t in like.inputs],
            name=node.name + "/",  # As it is, with no number behind it.
            attrs=dict(node.attr),
            op_def=like.op_def,
            compute_device=False,
        )
    made._set_device(node.device)
    return made
