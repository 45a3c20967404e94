# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A map of tensors to their consumers."""

from __future__ import annotations

from typing import Any

from tf1mem.v1.contrib.quantize import common


class InputToOps:
    """Maps each tensor of a graph, of any shape, to its consumers when the map is made, without ops of training.

    Args:
        graph: The tf.Graph.
    """

    def __init__(self, graph: Any) -> None:
        self.mapping: dict[Any, set[Any]] = {}
        for op in graph.get_operations():
            if not op.name.startswith(common.SKIPPED_PREFIXES):
                for t in op.inputs:
                    self.mapping.setdefault(t, set()).add(op)

    def ConsumerOperations(self, producer_op: Any) -> set[Any]:  # noqa: N802
        """Returns the set of ops that consume an op's outputs, tensors of any shape.

        Args:
            producer_op: A tf.Operation of the graph.
        """
        return {consumer for t in producer_op.outputs for consumer in self.mapping.get(t, ())}
