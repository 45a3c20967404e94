# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The geometric distribution (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

import numpy as np
from tensorflow.python.ops.distributions import util

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distributions._bases import ScalarDistribution


class Geometric(ScalarDistribution):
    """Geometric distribution: the number of failures before the first success.

    Args:
        logits: Log-odds of success, a float tensor with shape `[...]`.
        probs: Probability of success in (0, 1], in place of `logits`.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.

    Raises:
        ValueError: Both or none of `logits` and `probs` are set.
    """

    _batch_parameters = ("probs",)

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Geometric",
    ) -> None:
        parameters = dict(locals())
        with tf.name_scope(name, values=[logits, probs]) as scope:
            self._logits, self._probs = util.get_logits_and_probs(
                logits, probs, validate_args=validate_args, name=scope
            )
            with tf.control_dependencies([tf.assert_positive(self._probs)] if validate_args else []):
                self._probs = tf.identity(self._probs, name="probs")
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=tf.distributions.NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._probs, self._logits],
            name=scope,
        )

    @property
    def logits(self) -> Any:
        """Returns the log-odds of success, of shape `[...]`."""
        return self._logits

    @property
    def probs(self) -> Any:
        """Returns the probability of success, of shape `[...]`."""
        return self._probs

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        # The interval begins above 0, whose logarithm is infinite.
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        shape = tf.concat([[n], tf.shape(self.probs)], 0)
        drawn = tf.random_uniform(shape, minval=least, maxval=1.0, seed=seed, dtype=self.dtype)
        return tf.floor(tf.log(drawn) / tf.log1p(-self.probs))

    def _counts(self, x: Any) -> Any:
        """Returns the counts, broadcast to the batch; checked if `validate_args` is True, else rounded down."""
        counts = util.embed_check_nonnegative_integer_form(x) if self.validate_args else tf.floor(x)
        return counts * tf.ones_like(self.probs)

    def _cdf(self, x: Any) -> Any:
        x = self._counts(x)
        return tf.where(x < 0.0, tf.zeros_like(x), -tf.expm1((1.0 + x) * tf.log1p(-self.probs)))

    def _log_prob(self, x: Any) -> Any:
        x = self._counts(x)
        probs = self.probs * tf.ones_like(x)
        # For a count of 0 the first term is 0, even if probs is 1 and log(1 - probs) is infinite.
        finite = tf.where(tf.equal(x, 0.0), tf.zeros_like(probs), probs)
        return x * tf.log1p(-finite) + tf.log(probs)

    def _entropy(self) -> Any:
        probs = self.probs
        if self.validate_args:
            message = "Entropy is undefined when logits = inf or probs = 1."
            with tf.control_dependencies([tf.assert_less(probs, tf.constant(1.0, probs.dtype), message=message)]):
                probs = tf.identity(probs)
        return tf.nn.softplus(self.logits) / probs - self.logits

    def _mean(self) -> Any:
        return tf.exp(-self.logits)

    def _variance(self) -> Any:
        return self._mean() / self.probs

    def _mode(self) -> Any:
        return tf.zeros(self.batch_shape_tensor(), dtype=self.dtype)
