# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The binomial distribution (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions import util

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distributions._bases import ScalarDistribution


class Binomial(ScalarDistribution):
    """Binomial distribution: the number of successes in a number of trials.

    Args:
        total_count: Number of trials, a float tensor of integers with shape `[...]`.
        logits: Log-odds of success, a float tensor with shape `[...]`.
        probs: Probability of success, in place of `logits`.
        validate_args: True to check `total_count`, `probs` and the counts at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.

    Raises:
        ValueError: Both or none of `logits` and `probs` are set.
    """

    _batch_parameters = ("total_count", "probs")

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Binomial",
    ) -> None:
        parameters = dict(locals())
        with tf.name_scope(name, values=[total_count, logits, probs]) as scope:
            self._total_count = tf.convert_to_tensor(total_count, name="total_count")
            if validate_args:
                checks = [
                    tf.assert_non_negative(self._total_count, message="total_count must be non-negative."),
                    util.assert_integer_form(
                        self._total_count, message="total_count cannot contain fractional components."
                    ),
                ]
                with tf.control_dependencies(checks):
                    self._total_count = tf.identity(self._total_count)
            self._logits, self._probs = util.get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args, name=scope
            )
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=tf.distributions.NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._total_count, self._logits, self._probs],
            name=scope,
        )

    @property
    def total_count(self) -> Any:
        """Returns the number of trials, a float tensor of shape `[...]`."""
        return self._total_count

    @property
    def logits(self) -> Any:
        """Returns the log-odds of success, of shape `[...]`."""
        return self._logits

    @property
    def probs(self) -> Any:
        """Returns the probability of success, of shape `[...]`."""
        return self._probs

    def _counts(self, counts: Any) -> Any:
        """Returns the counts; with `validate_args` they are checked to be integers from 0 to `total_count`."""
        if not self.validate_args:
            return counts
        counts = util.embed_check_nonnegative_integer_form(counts)
        message = "counts are not less than or equal to n."
        with tf.control_dependencies([tf.assert_less_equal(counts, self.total_count, message=message)]):
            return tf.identity(counts)

    def _log_prob(self, counts: Any) -> Any:
        counts = self._counts(counts)
        unnormalized = counts * tf.log(self.probs) + (self.total_count - counts) * tf.log1p(-self.probs)
        log_orders = tf.lgamma(1.0 + self.total_count - counts) + tf.lgamma(1.0 + counts)
        return unnormalized - (log_orders - tf.lgamma(1.0 + self.total_count))

    def _prob(self, counts: Any) -> Any:
        return tf.exp(self._log_prob(counts))

    def _cdf(self, counts: Any) -> Any:
        counts = self._counts(counts)
        probs = self.probs + tf.zeros_like(counts)
        counts += tf.zeros_like(self.probs)
        failures = self.total_count - counts
        ones = tf.ones_like(failures)
        # betainc and its gradient are NaN for 0 failures, where the result is 1.
        is_total = tf.equal(failures, 0.0)
        cdf = tf.betainc(tf.where(is_total, ones, failures), counts + 1.0, 1.0 - probs)
        return tf.where(is_total, ones, cdf)

    def _mean(self) -> Any:
        return self.total_count * self.probs

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self.probs)

    def _mode(self) -> Any:
        """Returns the mode, of shape `[...]`; the larger one if there are two."""
        return tf.floor((1.0 + self.total_count) * self.probs)
