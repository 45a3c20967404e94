# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The Cauchy distribution (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

import numpy as np

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distributions._bases import LocationScaleDistribution


class Cauchy(LocationScaleDistribution):
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
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, parameters)

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        shape = tf.convert_to_tensor(sample_shape, dtype=tf.int32)
        return {"loc": shape, "scale": shape}

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
