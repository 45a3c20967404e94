# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The Cauchy distribution (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

import numpy as np

import tf1mem.v1 as tf


class Cauchy(tf.distributions.Distribution):  # type: ignore[misc]
    """Cauchy distribution, whose density is `1 / (pi * scale * (1 + ((x - loc) / scale)**2))`.

    It has no mean and no standard deviation.

    Args:
        loc: Median and mode, a float tensor with shape `[...]`.
        scale: Half of the peak's width at half of its height, a positive float tensor with shape `[...]`.
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
        name: str = "Cauchy",
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

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        shape = tf.convert_to_tensor(sample_shape, dtype=tf.int32)
        return {"loc": shape, "scale": shape}

    @property
    def loc(self) -> Any:
        """Returns the median, of shape `[...]`."""
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

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = tf.concat([[n], self.batch_shape_tensor()], 0)
        return self._quantile(tf.random_uniform(shape, minval=0.0, maxval=1.0, dtype=self.dtype, seed=seed))

    def _log_prob(self, x: Any) -> Any:
        return -tf.log1p(tf.square(self._standardized(x))) - (np.log(np.pi) + tf.log(self.scale))

    def _cdf(self, x: Any) -> Any:
        return tf.atan(self._standardized(x)) / np.pi + 0.5

    def _log_cdf(self, x: Any) -> Any:
        return tf.log1p(2 / np.pi * tf.atan(self._standardized(x))) - np.log(2)

    def _entropy(self) -> Any:
        return (np.log(4 * np.pi) + tf.log(self.scale)) * tf.ones_like(self.loc)

    def _quantile(self, p: Any) -> Any:
        return self.loc + self.scale * tf.tan(np.pi * (p - 0.5))

    def _mode(self) -> Any:
        return self.loc * tf.ones_like(self.scale)

    def _mean(self) -> Any:
        return self._undefined("mean")

    def _stddev(self) -> Any:
        return self._undefined("stddev")

    def _undefined(self, statistic: str) -> Any:
        if not self.allow_nan_stats:
            raise ValueError(f"`{statistic}` is undefined for Cauchy distribution.")
        return tf.fill(self.batch_shape_tensor(), self.dtype.as_numpy_dtype(np.nan))

    def _standardized(self, x: Any) -> Any:
        with tf.name_scope("standardize", values=[x]):
            return (x - self.loc) / self.scale
