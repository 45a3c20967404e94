# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Who takes what."""

from __future__ import annotations

from typing import Any

from tf1mem.v1.contrib.quantize import common


class InputToOps:
    """The ops that take each tensor of a graph, as it was when this was made, but for ops of training."""

    def __init__(self, graph: Any) -> None:
        self.mapping: dict[Any, set[Any]] = {}
        for op in graph.get_operations():
            if not op.name.startswith(common.SKIPPED_PREFIXES):
                for t in op.inputs:
                    self.mapping.setdefault(t, set()).add(op)

    def ConsumerOperations(self, producer_op: Any) -> set[Any]:  # noqa: N802
        """The ops that take an op's outputs."""
        return {taker for t in producer_op.outputs for taker in self.mapping.get(t, ())}
