# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Power transformations (tf.contrib.distributions.bijectors)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions.bijector_impl import Bijector

import tf1mem.v1 as tf


class PowerTransform(Bijector):  # type: ignore[misc]
    """Computes `(1 + power * x) ** (1 / power)`, or exp(x) if the power is 0, for tensors of any shape.

    Args:
        power: Constant number, 0 or larger.
        validate_args: True to check at run time that the numbers are in range.
        name: Name of the bijector.

    Raises:
        ValueError: The power is no constant, or is negative.
    """

    def __init__(self, power: Any = 0.0, validate_args: bool = False, name: str = "power_transform") -> None:
        constant = tf.get_static_value(tf.convert_to_tensor(power, name="power"))
        if constant is None or constant < 0:
            raise ValueError(f"power: {power} is no constant of 0 or more. Give one.")
        self._power = constant
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def power(self) -> Any:
        """Returns the power, a NumPy value of shape `[]`; float32 for a Python number, such as the default 0.0."""
        return self._power

    def _log_base(self, x: Any) -> Any:
        """Returns the logarithm of the base of the power."""
        return tf.log1p(self._checked(x, 1.0 + self.power * x, "x") * self.power)

    def _checked(self, value: Any, positive: Any, name: str) -> Any:
        if not self.validate_args:
            return value
        message = f"{name}: a value is outside of the range of the power {self.power}."
        with tf.control_dependencies([tf.assert_non_negative(positive, message=message)]):
            return tf.identity(value)

    def _forward(self, x: Any) -> Any:
        return tf.exp(x) if self.power == 0 else tf.exp(self._log_base(x) / self.power)

    def _inverse(self, y: Any) -> Any:
        logarithm = tf.log(self._checked(y, y, "y"))
        return logarithm if self.power == 0 else tf.expm1(logarithm * self.power) / self.power

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return (self.power - 1.0) * tf.log(self._checked(y, y, "y"))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return x if self.power == 0 else (1.0 / self.power - 1.0) * self._log_base(x)
