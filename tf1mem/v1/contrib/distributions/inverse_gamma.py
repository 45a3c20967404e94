# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The inverse gamma distribution (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

import numpy as np

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distributions._bases import ScalarDistribution


class InverseGamma(ScalarDistribution):
    """Inverse gamma distribution: the reciprocal of a gamma variable.

    Args:
        concentration: Concentration of the gamma variable, a positive float tensor with shape `[...]`.
        rate: Rate of the gamma variable, a positive float tensor with shape `[...]`.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.
    """

    _batch_parameters = ("concentration", "rate")

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGamma",
    ) -> None:
        parameters = dict(locals())
        with tf.name_scope(name, values=[concentration, rate]) as scope:
            checks = [tf.assert_positive(each) for each in (concentration, rate)] if validate_args else []
            with tf.control_dependencies(checks):
                self._concentration = tf.identity(concentration, name="concentration")
                self._rate = tf.identity(rate, name="rate")
                tf.debugging.assert_same_float_dtype([self._concentration, self._rate])
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=tf.distributions.NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._concentration, self._rate],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return dict.fromkeys(("concentration", "rate"), tf.convert_to_tensor(sample_shape, dtype=tf.int32))

    @property
    def concentration(self) -> Any:
        """Returns the concentration, of shape `[...]`."""
        return self._concentration

    @property
    def rate(self) -> Any:
        """Returns the rate, of shape `[...]`."""
        return self._rate

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return 1.0 / tf.random_gamma([n], self.concentration, self.rate, dtype=self.dtype, seed=seed)

    def _log_prob(self, x: Any) -> Any:
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _log_unnormalized_prob(self, x: Any) -> Any:
        x = self._positive(x)
        return -(1.0 + self.concentration) * tf.log(x) - self.rate / x

    def _log_normalization(self) -> Any:
        return tf.lgamma(self.concentration) - self.concentration * tf.log(self.rate)

    def _cdf(self, x: Any) -> Any:
        return tf.igammac(self.concentration, self.rate / self._positive(x))

    def _entropy(self) -> Any:
        log_moments = self.concentration + tf.log(self.rate) + tf.lgamma(self.concentration)
        return log_moments - (1.0 + self.concentration) * tf.digamma(self.concentration)

    def _mean(self) -> Any:
        return self._above(1.0, self.rate / (self.concentration - 1.0), "mean")

    def _variance(self) -> Any:
        variance = tf.square(self.rate) / tf.squared_difference(self.concentration, 1.0) / (self.concentration - 2.0)
        return self._above(2.0, variance, "variance")

    def _mode(self) -> Any:
        return self.rate / (1.0 + self.concentration)

    def _above(self, least: float, statistic: Any, name: str) -> Any:
        """Returns a statistic `[...]` where the concentration is above `least`; elsewhere it is NaN or an error."""
        if self.allow_nan_stats:
            nan = tf.fill(self.batch_shape_tensor(), np.array(np.nan, self.dtype.as_numpy_dtype), name="nan")
            return tf.where_v2(self.concentration > least, statistic, nan)
        message = f"{name} undefined when any concentration <= {least:.0f}"
        is_above = tf.assert_less(tf.constant(least, self.dtype), self.concentration, message=message)
        with tf.control_dependencies([is_above]):
            return tf.identity(statistic)

    def _positive(self, x: Any) -> Any:
        """Returns a `[...]` value of the distribution's dtype, checked to be positive if `validate_args` is True."""
        tf.debugging.assert_same_float_dtype([x], dtype=self.dtype)
        if not self.validate_args:
            return x
        with tf.control_dependencies([tf.assert_positive(x)]):
            return tf.identity(x)
