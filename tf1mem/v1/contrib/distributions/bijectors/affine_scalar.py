# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Affine transformations of numbers (tf.contrib.distributions.bijectors)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions.bijector_impl import Bijector

import tf1mem.v1 as tf


class AffineScalar(Bijector):  # type: ignore[misc]
    """Computes `scale * x + shift` element by element.

    Args:
        shift: Float tensor whose shape broadcasts to x; None for 0.
        scale: Float tensor whose shape broadcasts to x; None for 1.
        validate_args: True to check at run time that the scale isn't 0.
        name: Name of the bijector.
    """

    def __init__(
        self, shift: Any = None, scale: Any = None, validate_args: bool = False, name: str = "affine_scalar"
    ) -> None:
        with tf.name_scope(name), tf.name_scope("init", values=[scale, shift]):
            self._shift = None if shift is None else tf.convert_to_tensor(shift, name="shift")
            self._scale = None if scale is None else tf.convert_to_tensor(scale, name="scale")
            if validate_args and self._scale is not None:
                zero = tf.zeros([], self._scale.dtype)
                message = "scale: it is 0. Give another number."
                with tf.control_dependencies([tf.assert_none_equal(self._scale, zero, message=message)]):
                    self._scale = tf.identity(self._scale)
        super().__init__(forward_min_event_ndims=0, is_constant_jacobian=True, validate_args=validate_args, name=name)

    @property
    def shift(self) -> Any:
        """Returns the shift, a tensor of any shape, or None."""
        return self._shift

    @property
    def scale(self) -> Any:
        """Returns the scale, a tensor of any shape, or None."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        y = tf.identity(x) if self.scale is None else x * self.scale
        return y if self.shift is None else y + self.shift

    def _inverse(self, y: Any) -> Any:
        x = tf.identity(y) if self.shift is None else y - self.shift
        return x if self.scale is None else x / self.scale

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return tf.zeros([], x.dtype.base_dtype) if self.scale is None else tf.log(tf.abs(self.scale))
