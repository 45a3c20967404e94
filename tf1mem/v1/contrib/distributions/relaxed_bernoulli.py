# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The relaxed Bernoulli distribution; its samples are differentiable by its parameters (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions import util

import tf1mem.v1 as tf
from tf1mem.v1._seeds import makes_other_ops
from tf1mem.v1.contrib.distributions.logistic import Logistic


class RelaxedBernoulli(Logistic):
    """Distribution of numbers between 0 and 1 that approach 0 or 1 as the temperature falls.

    A sample is the sigmoid of a sample of a logistic distribution, whose location is `logits / temperature` and whose
    scale is `1 / temperature`.

    Maddison et al. 2016, arXiv:1611.00712; Jang et al. 2016, arXiv:1611.01144.

    Args:
        temperature: Temperature, a positive float of shape `[]`.
        logits: Log-odds of 1, a float tensor with shape `[...]`.
        probs: Probability of 1, in place of `logits`.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.

    Raises:
        ValueError: Both or none of `logits` and `probs` are set.
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedBernoulli",
    ) -> None:
        parameters = dict(locals())
        with tf.name_scope(name, values=[logits, probs, temperature]) as scope:
            with tf.control_dependencies([tf.assert_positive(temperature)] if validate_args else []):
                self._temperature = tf.identity(temperature, name="temperature")
            self._logits, self._probs = util.get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args
            )
            loc, scale = self._logits / self._temperature, 1.0 / self._temperature
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters
        makes_other_ops(f"contrib.distributions.{type(self).__name__}")

    @property
    def temperature(self) -> Any:
        """Returns the temperature, of shape `[]`."""
        return self._temperature

    @property
    def logits(self) -> Any:
        """Returns the log-odds of 1, of shape `[...]`."""
        return self._logits

    @property
    def probs(self) -> Any:
        """Returns the probability of 1, of shape `[...]`."""
        return self._probs

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return tf.sigmoid(super()._sample_n(n, seed))

    def _log_prob(self, x: Any) -> Any:
        # Change of variables from x to its log-odds, whose derivative is 1 / (x * (1 - x)).
        return super()._log_prob(tf.log(x) - tf.log1p(-x)) - tf.log(x) - tf.log1p(-x)

    def _cdf(self, x: Any) -> Any:
        return super()._cdf(tf.log(x) - tf.log1p(-x))

    def _log_cdf(self, x: Any) -> Any:
        return super()._log_cdf(tf.log(x) - tf.log1p(-x))

    def _survival_function(self, x: Any) -> Any:
        return super()._survival_function(tf.log(x) - tf.log1p(-x))

    def _log_survival_function(self, x: Any) -> Any:
        return super()._log_survival_function(tf.log(x) - tf.log1p(-x))

    def _undefined(self) -> Any:
        raise NotImplementedError("RelaxedBernoulli has no closed form of mean, mode, standard deviation or entropy")

    _mean = _mode = _stddev = _entropy = _undefined
