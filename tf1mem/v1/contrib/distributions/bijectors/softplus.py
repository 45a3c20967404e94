# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The softplus function (tf.contrib.distributions.bijectors)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions.bijector_impl import Bijector
from tensorflow.python.ops.distributions.util import softplus_inverse

import tf1mem.v1 as tf


class Softplus(Bijector):  # type: ignore[misc]
    """Computes `c * log(1 + exp(x / c))` for tensors of any shape.

    Args:
        hinge_softness: c, a number or tensor other than 0; 1 by default.
        validate_args: True to check at run time that c isn't 0.
        name: Name of the bijector.
    """

    def __init__(self, hinge_softness: Any = None, validate_args: bool = False, name: str = "softplus") -> None:
        with tf.name_scope(name, values=[hinge_softness]):
            softness = None if hinge_softness is None else tf.convert_to_tensor(hinge_softness, name="hinge_softness")
            if validate_args and softness is not None:
                message = "hinge_softness: it is 0. Give another number."
                zero = tf.zeros([], softness.dtype)
                with tf.control_dependencies([tf.assert_none_equal(softness, zero, message=message)]):
                    softness = tf.identity(softness)
        self._hinge_softness = softness
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def hinge_softness(self) -> Any:
        """Returns c, a tensor of any shape, or None."""
        return self._hinge_softness

    def _divided(self, value: Any) -> Any:
        return value if self.hinge_softness is None else value / tf.cast(self.hinge_softness, value.dtype)

    def _multiplied(self, value: Any) -> Any:
        return value if self.hinge_softness is None else value * tf.cast(self.hinge_softness, value.dtype)

    def _forward(self, x: Any) -> Any:
        return self._multiplied(tf.nn.softplus(self._divided(x)))

    def _inverse(self, y: Any) -> Any:
        return self._multiplied(softplus_inverse(self._divided(y)))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -tf.nn.softplus(-self._divided(x))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -tf.log(-tf.expm1(-self._divided(y)))
