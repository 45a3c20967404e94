# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Permutations of vectors (tf.contrib.distributions.bijectors)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions.bijector_impl import Bijector

import tf1mem.v1 as tf


class Permute(Bijector):  # type: ignore[misc]
    """Permutes the last axis of `[..., size]` tensors.

    Args:
        permutation: `[size]` int tensor: index of the element at each position.
        validate_args: True to check the permutation at run time if it isn't constant.
        name: Name of the bijector.

    Raises:
        TypeError: The permutation's dtype isn't an integer type.
        ValueError: An index is missing.
    """

    def __init__(self, permutation: Any, validate_args: bool = False, name: str | None = None) -> None:
        with tf.name_scope(name, "permute", values=[permutation]):
            order = tf.convert_to_tensor(permutation, name="permutation")
            if not order.dtype.is_integer:
                raise TypeError(f"permutation: its dtype is {order.dtype.name}. Give integers.")
            message = "permutation: an index is missing or repeated. Permutation over `d` must contain each once."
            constant = tf.get_static_value(order)
            if constant is not None and sorted(constant) != list(range(constant.size)):
                raise ValueError(message)
            if constant is None and validate_args:
                each_once = tf.assert_equal(tf.sort(order), tf.range(tf.size(order)), message=message)
                with tf.control_dependencies([each_once]):
                    order = tf.identity(order)
        self._permutation = order
        super().__init__(
            forward_min_event_ndims=1, is_constant_jacobian=True, validate_args=validate_args, name=name or "permute"
        )

    @property
    def permutation(self) -> Any:
        """Returns the permutation, an int tensor of shape `[size]`."""
        return self._permutation

    def _forward(self, x: Any) -> Any:
        return tf.gather(x, self.permutation, axis=-1)

    def _inverse(self, y: Any) -> Any:
        return tf.gather(y, tf.invert_permutation(self.permutation), axis=-1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return tf.zeros([], x.dtype.base_dtype)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return tf.zeros([], y.dtype.base_dtype)
