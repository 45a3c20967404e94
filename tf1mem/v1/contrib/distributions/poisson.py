# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The Poisson distribution (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions import util

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distributions._bases import ScalarDistribution


class Poisson(ScalarDistribution):
    """Poisson distribution: the count of events that occur at a rate.

    Args:
        rate: Rate, a positive float tensor with shape `[...]`.
        log_rate: Logarithm of the rate, in place of `rate`.
        validate_args: True to check counts and `rate` at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.

    Raises:
        ValueError: Both or none of `rate` and `log_rate` are set.
        TypeError: The rate's dtype is not floating.
    """

    _batch_parameters = ("rate",)

    def __init__(
        self,
        rate: Any = None,
        log_rate: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Poisson",
    ) -> None:
        parameters = dict(locals())
        if (rate is None) == (log_rate is None):
            raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
        with tf.name_scope(name, values=[rate, log_rate]) as scope:
            parameter = tf.convert_to_tensor(
                log_rate if rate is None else rate, name="log_rate" if rate is None else "rate"
            )
            if not parameter.dtype.is_floating:
                raise TypeError(f"{parameter.name} must be a floating-point type; found {parameter.dtype}")
            if rate is None:
                self._rate, self._log_rate = tf.exp(parameter, name="rate"), parameter
            else:
                with tf.control_dependencies([tf.assert_positive(parameter)] if validate_args else []):
                    self._rate = tf.identity(parameter, name="rate")
                    self._log_rate = tf.log(parameter, name="log_rate")
        super().__init__(
            dtype=self._rate.dtype,
            reparameterization_type=tf.distributions.NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._rate],
            name=scope,
        )

    @property
    def rate(self) -> Any:
        """Returns the rate, of shape `[...]`."""
        return self._rate

    @property
    def log_rate(self) -> Any:
        """Returns the logarithm of the rate, of shape `[...]`."""
        return self._log_rate

    def _counts(self, x: Any) -> Any:
        """Returns the counts, with checks if `validate_args` is True."""
        return util.embed_check_nonnegative_integer_form(x) if self.validate_args else x

    def _log_prob(self, x: Any) -> Any:
        x = self._counts(x)
        return x * self.log_rate - tf.lgamma(1.0 + x) - self.rate

    def _cdf(self, x: Any) -> Any:
        return tf.igammac(1.0 + self._counts(x), self.rate)

    def _log_cdf(self, x: Any) -> Any:
        return tf.log(self.cdf(x))

    def _mean(self) -> Any:
        return tf.identity(self.rate)

    def _variance(self) -> Any:
        return tf.identity(self.rate)

    def _mode(self) -> Any:
        return tf.floor(self.rate)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return tf.random.poisson(self.rate, [n], dtype=self.dtype, seed=seed)
