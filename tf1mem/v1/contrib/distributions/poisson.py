# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Counts of what happens at a rate, by tf.contrib.distributions."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions import util

import tf1mem.v1 as tf


class Poisson(tf.distributions.Distribution):  # type: ignore[misc]
    """Counts of what happens at a rate.

    Args:
        rate: How often it happens, greater than 0.
        log_rate: The logarithm of that, in place of it.
        validate_args: Whether it is an error for numbers not to be counts.
        allow_nan_stats: Whether a statistic that isn't defined is no number, and not an error.
        name: The name.

    Raises:
        ValueError: Rate and logarithm are given, or neither.
        TypeError: It isn't of a floating type.
    """

    def __init__(
        self,
        rate: Any = None,
        log_rate: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Poisson",
    ) -> None:
        if (rate is None) == (log_rate is None):
            raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
        with tf.name_scope(name, values=[rate, log_rate]) as scope:
            given = tf.convert_to_tensor(
                log_rate if rate is None else rate, name="log_rate" if rate is None else "rate"
            )
            if not given.dtype.is_floating:
                raise TypeError(f"{given.name} must be a floating-point type; found {given.dtype}")
            with tf.control_dependencies([tf.assert_positive(given)] if rate is not None and validate_args else []):
                given = tf.identity(given)
            self._rate = tf.exp(given) if rate is None else given
            self._log_rate = given if rate is None else tf.log(given)
        super().__init__(
            dtype=self._rate.dtype,
            reparameterization_type=tf.distributions.NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters={"rate": rate, "log_rate": log_rate},
            graph_parents=[self._rate],
            name=scope,
        )

    @property
    def rate(self) -> Any:
        """How often it happens."""
        return self._rate

    @property
    def log_rate(self) -> Any:
        """The logarithm of the rate."""
        return self._log_rate

    def _batch_shape_tensor(self) -> Any:
        return tf.shape(self.rate)

    def _batch_shape(self) -> Any:
        return self.rate.shape

    def _event_shape_tensor(self) -> Any:
        return tf.constant([], tf.int32)

    def _event_shape(self) -> Any:
        return tf.TensorShape([])

    def _counts(self, x: Any) -> Any:
        """Numbers, once they are seen to be counts where that is asked for."""
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
