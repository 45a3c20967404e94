# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The logistic distribution, by tf.contrib.distributions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import tf1mem.v1 as tf


class Logistic(tf.distributions.Distribution):  # type: ignore[misc]
    """The distribution whose cumulative function is a sigmoid.

    Args:
        loc: The mean.
        scale: What distances from it are divided by, greater than 0.
        validate_args: Whether arguments are checked when they are computed.
        allow_nan_stats: Whether a statistic that isn't defined is no number, and not an error.
        name: The name.
    """

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Logistic",
    ) -> None:
        with tf.name_scope(name, values=[loc, scale]) as scope:
            with tf.control_dependencies([tf.assert_positive(scale)] if validate_args else []):
                self._loc, self._scale = tf.identity(loc, name="loc"), tf.identity(scale, name="scale")
            tf.debugging.assert_same_float_dtype([self._loc, self._scale])
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=tf.distributions.FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters={"loc": loc, "scale": scale},
            graph_parents=[self._loc, self._scale],
            name=scope,
        )

    @property
    def loc(self) -> Any:
        """The mean."""
        return self._loc

    @property
    def scale(self) -> Any:
        """What distances from the mean are divided by."""
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
        # Open on both sides: no number is 0, whose logarithm isn't one.
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        uniform = tf.random_uniform(shape, least, 1.0, self.dtype, seed=seed)
        return (tf.log(uniform) - tf.log1p(-uniform)) * self.scale + self.loc

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
