# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Relaxed one-hot categorical distributions, whose samples have gradients (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

import numpy as np
from tensorflow.python.ops.distributions import util

import tf1mem.v1 as tf
from tf1mem.v1._seeds import makes_other_ops
from tf1mem.v1.contrib.distributions._bases import ClassVectorDistribution
from tf1mem.v1.contrib.distributions.onehot_categorical import batch_rank


class ExpRelaxedOneHotCategorical(ClassVectorDistribution):
    """Distribution of the logarithms of `RelaxedOneHotCategorical`'s samples; it avoids underflow and overflow.

    Maddison et al. 2016, arXiv:1611.00712; Jang et al. 2016, arXiv:1611.01144.

    Args:
        temperature: Temperature, a positive float of shape `[]`.
        logits: Log-probabilities up to a constant, `[..., num_classes]` float tensor.
        probs: Probabilities, in place of `logits`.
        dtype: Dtype of the samples; the logits' by default.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExpRelaxedOneHotCategorical",
    ) -> None:
        parameters = dict(locals())
        with tf.name_scope(name, values=[logits, probs, temperature]) as scope:
            self._logits, self._probs = util.get_logits_and_probs(
                name=scope, logits=logits, probs=probs, validate_args=validate_args, multidimensional=True
            )
            dtype = self._logits.dtype if dtype is None else dtype
            checks = [tf.assert_positive(temperature)] if validate_args else []
            with tf.control_dependencies(checks):
                temperature = tf.cast(temperature, dtype)
                self._temperature = tf.identity(temperature, name="temperature")
                self._temperature_2d = tf.reshape(temperature, [-1, 1], name="temperature_2d")
            batch_rank(self._logits)  # only for its op: the seeds of a graph's ops count the ops of TensorFlow 1
            self._event_size = tf.shape(self._logits)[-1]
        super().__init__(
            dtype=dtype,
            reparameterization_type=tf.distributions.FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._logits, self._probs, self._temperature],
            name=scope,
        )
        makes_other_ops(f"contrib.distributions.{type(self).__name__}")

    @property
    def temperature(self) -> Any:
        """Returns the temperature, of shape `[]`."""
        return self._temperature

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = tf.concat([[n], tf.shape(self.logits)], 0)
        logits = tf.reshape(self.logits * tf.ones(shape, self.dtype), [-1, self.event_size])
        # The interval excludes 0, whose logarithm is infinite.
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        uniform = tf.random_uniform(tf.shape(logits), least, 1.0, self.dtype, seed=seed)
        noisy = (-tf.log(-tf.log(uniform)) + logits) / self._temperature_2d
        return tf.reshape(tf.nn.log_softmax(noisy), shape)

    def _log_prob(self, x: Any) -> Any:
        x = self._validated(x)
        logits = tf.ones_like(x) * self.logits
        x = tf.ones_like(logits) * x
        rows = tf.reshape(logits, [-1, self.event_size])
        points = tf.reshape(x, [-1, self.event_size])
        size = tf.cast(self.event_size, x.dtype)
        constant = tf.lgamma(size) + (size - 1.0) * tf.log(self.temperature)
        log_softmax = tf.nn.log_softmax(rows - points * tf.reshape(self.temperature, [-1, 1]))
        return tf.reshape(constant + tf.reduce_sum(log_softmax, -1), tf.shape(logits)[:-1])


class RelaxedOneHotCategorical(ExpRelaxedOneHotCategorical):
    """Continuous distribution of vectors that approach one-hot vectors as the temperature falls (Gumbel-softmax).

    Maddison et al. 2016, arXiv:1611.00712; Jang et al. 2016, arXiv:1611.01144.

    Args:
        temperature: Temperature, a positive float of shape `[]`.
        logits: Log-probabilities up to a constant, `[..., num_classes]` float tensor.
        probs: Probabilities, in place of `logits`.
        dtype: Dtype of the samples; the logits' by default.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedOneHotCategorical",
    ) -> None:
        super().__init__(temperature, logits, probs, dtype, validate_args, allow_nan_stats, name)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return tf.exp(super()._sample_n(n, seed))

    def _log_prob(self, x: Any) -> Any:
        logarithm = tf.log(x)
        return super()._log_prob(logarithm) - tf.reduce_sum(logarithm, -1)
