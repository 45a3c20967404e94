# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The logistic distribution (tf.contrib.distributions)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distributions._bases import LocationScaleDistribution


class Logistic(LocationScaleDistribution):
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
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, parameters)

    def _standard(self, x: Any) -> Any:
        """Returns values in the units of the standard distribution, whose `loc` is 0 and `scale` 1."""
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
