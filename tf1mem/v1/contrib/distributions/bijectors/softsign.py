# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The softsign function (tf.contrib.distributions.bijectors)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions.bijector_impl import Bijector

import tf1mem.v1 as tf


class Softsign(Bijector):  # type: ignore[misc]
    """Computes `x / (1 + abs(x))` for tensors of any shape.

    Args:
        validate_args: True to check at run time that inverses are taken only of numbers between -1 and 1.
        name: Name of the bijector.
    """

    def __init__(self, validate_args: bool = False, name: str = "softsign") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _checked(self, y: Any) -> Any:
        if not self.validate_args:
            return y
        unit = tf.ones([], y.dtype)
        checks = [
            tf.assert_greater(y, -unit, message="y: it has to be greater than -1. Give other numbers."),
            tf.assert_less(y, unit, message="y: it has to be less than 1. Give other numbers."),
        ]
        with tf.control_dependencies(checks):
            return tf.identity(y)

    def _forward(self, x: Any) -> Any:
        return x / (1.0 + tf.abs(x))

    def _inverse(self, y: Any) -> Any:
        y = self._checked(y)
        return y / (1.0 - tf.abs(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -2.0 * tf.log1p(tf.abs(x))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -2.0 * tf.log1p(-tf.abs(self._checked(y)))
