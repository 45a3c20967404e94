# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The half-normal distribution (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

import numpy as np
from tensorflow.python.ops.distributions import special_math

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distributions._bases import ScalarDistribution


class HalfNormal(ScalarDistribution):
    """Half-normal distribution: the absolute value of a normal variable with mean 0.

    Args:
        scale: Standard deviation of the normal variable, a positive float tensor with shape `[...]`.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.
    """

    _batch_parameters = ("scale",)

    def __init__(
        self, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "HalfNormal"
    ) -> None:
        parameters = dict(locals())
        with tf.name_scope(name, values=[scale]) as scope:
            checks = [tf.assert_positive(scale)] if validate_args else []
            with tf.control_dependencies(checks):
                self._scale = tf.identity(scale, name="scale")
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=tf.distributions.FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._scale],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return {"scale": tf.convert_to_tensor(sample_shape, dtype=tf.int32)}

    @property
    def scale(self) -> Any:
        """Returns the scale, of shape `[...]`."""
        return self._scale

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = tf.concat([[n], self.batch_shape_tensor()], 0)
        return tf.abs(tf.random_normal(shape, mean=0.0, stddev=1.0, dtype=self.dtype, seed=seed) * self.scale)

    def _prob(self, x: Any) -> Any:
        density = np.sqrt(2) / self.scale / np.sqrt(np.pi) * tf.exp(-0.5 * (x / self.scale) ** 2)
        return density * tf.cast(x >= 0, self.dtype)

    def _cdf(self, x: Any) -> Any:
        return tf.erf(tf.nn.relu(x) / self.scale / np.sqrt(2.0))

    def _quantile(self, p: Any) -> Any:
        return np.sqrt(2.0) * self.scale * special_math.erfinv(p)

    def _entropy(self) -> Any:
        return 0.5 * tf.log(np.pi * self.scale**2.0 / 2.0) + 0.5

    def _mean(self) -> Any:
        return self.scale * np.sqrt(2.0) / np.sqrt(np.pi)

    def _mode(self) -> Any:
        return tf.zeros(self.batch_shape_tensor())

    def _variance(self) -> Any:
        return self.scale**2.0 * (1.0 - 2.0 / np.pi)
