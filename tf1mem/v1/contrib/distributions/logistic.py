# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The logistic distribution (tf.contrib.distributions)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import tf1mem.v1 as tf


class Logistic(tf.distributions.Distribution):  # type: ignore[misc]
    """Logistic distribution: its cumulative distribution function is `sigmoid((x - loc) / scale)`.

    Args:
        loc: Mean, a float tensor with shape `[...]`.
        scale: Scale, a positive float tensor with shape `[...]`.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.
    """

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Logistic",
    ) -> None:
        parameters = dict(locals())
        with tf.name_scope(name, values=[loc, scale]) as scope:
            with tf.control_dependencies([tf.assert_positive(scale)] if validate_args else []):
                self._loc, self._scale = tf.identity(loc, name="loc"), tf.identity(scale, name="scale")
            tf.debugging.assert_same_float_dtype([self._loc, self._scale])
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=tf.distributions.FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._loc, self._scale],
            name=scope,
        )

    @property
    def loc(self) -> Any:
        """Returns the mean, of shape `[...]`."""
        return self._loc

    @property
    def scale(self) -> Any:
        """Returns the scale, of shape `[...]`."""
        return self._scale

    def _batch_shape_tensor(self) -> Any:
        return tf.broadcast_dynamic_shape(tf.shape(self.loc), tf.shape(self.scale))

    def _batch_shape(self) -> Any:
        return tf.broadcast_static_shape(self.loc.shape, self.scale.shape)

    def _event_shape_tensor(self) -> Any:
        return tf.constant([], tf.int32)

    def _event_shape(self) -> Any:
        return tf.TensorShape([])

    def _standard(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = tf.concat([[n], self.batch_shape_tensor()], 0)
        # The interval excludes 0, whose logarithm is infinite.
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        uniform = tf.random_uniform(shape, least, 1.0, self.dtype, seed=seed)
        return (tf.log(uniform) - tf.log1p(-1.0 * uniform)) * self.scale + self.loc

    def _log_prob(self, x: Any) -> Any:
        standard = self._standard(x)
        return -standard - 2.0 * tf.nn.softplus(-standard) - tf.log(self.scale)

    def _cdf(self, x: Any) -> Any:
        return tf.sigmoid(self._standard(x))

    def _log_cdf(self, x: Any) -> Any:
        return -tf.nn.softplus(-self._standard(x))

    def _survival_function(self, x: Any) -> Any:
        return tf.sigmoid(-self._standard(x))

    def _log_survival_function(self, x: Any) -> Any:
        return -tf.nn.softplus(self._standard(x))

    def _entropy(self) -> Any:
        return 2 + tf.log(self.scale * tf.ones_like(self.loc))

    def _mean(self) -> Any:
        return self.loc * tf.ones_like(self.scale)

    def _mode(self) -> Any:
        return self._mean()

    def _stddev(self) -> Any:
        return self.scale * tf.ones_like(self.loc) * math.pi / math.sqrt(3)
