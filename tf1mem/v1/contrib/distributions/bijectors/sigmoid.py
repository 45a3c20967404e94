# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The sigmoid function (tf.contrib.distributions.bijectors)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions.bijector_impl import Bijector

import tf1mem.v1 as tf


class Sigmoid(Bijector):  # type: ignore[misc]
    """Computes `1 / (1 + exp(-x))` for tensors of any shape.

    Args:
        validate_args: Stored as an attribute; no check depends on it.
        name: Name of the bijector.
    """

    def __init__(self, validate_args: bool = False, name: str = "sigmoid") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        return tf.sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        return tf.log(y) - tf.log1p(-y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -(tf.nn.softplus(x) + tf.nn.softplus(-x))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -(tf.log(y) + tf.log1p(-y))
