# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The categorical distribution of one-hot vectors (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions import util

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distributions._bases import ClassVectorDistribution


def batch_rank(logits: Any) -> Any:
    """Returns the number of batch axes of logits of shape `[..., num_classes]`, an int32 tensor of shape `[]`."""
    rank = logits.shape.with_rank_at_least(1).ndims
    return tf.rank(logits) - 1 if rank is None else tf.constant(rank - 1, name="batch_rank")


class OneHotCategorical(ClassVectorDistribution):
    """Categorical distribution whose samples are one-hot vectors.

    Args:
        logits: Log-probabilities up to a constant, `[..., num_classes]` float tensor.
        probs: Probabilities, in place of `logits`.
        dtype: Dtype of the samples; int32 by default.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.
    """

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = tf.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "OneHotCategorical",
    ) -> None:
        parameters = dict(locals())
        with tf.name_scope(name, values=[logits, probs]) as scope:
            self._logits, self._probs = util.get_logits_and_probs(
                name=scope, logits=logits, probs=probs, validate_args=validate_args, multidimensional=True
            )
            self._batch_rank = batch_rank(self._logits)
            self._event_size = tf.shape(self._logits)[-1]
        super().__init__(
            dtype=dtype,
            reparameterization_type=tf.distributions.NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._logits, self._probs],
            name=scope,
        )

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = tf.concat([[n], tf.shape(self.logits)], 0)
        rows = self.logits if self.logits.shape.ndims == 2 else tf.reshape(self.logits, [-1, self.event_size])
        drawn = tf.transpose(tf.multinomial(rows, n, seed=seed))
        return tf.reshape(tf.one_hot(drawn, self.event_size, dtype=self.dtype), shape)

    def _log_prob(self, x: Any) -> Any:
        x = self._validated(x)
        logits = self.logits
        if x.shape.as_list() != logits.shape.as_list() or not x.shape.is_fully_defined():
            logits = tf.ones_like(x, dtype=logits.dtype) * logits
            x = tf.ones_like(logits, dtype=x.dtype) * x
        shape = tf.shape(logits)[:-1]
        rows = [tf.reshape(each, [-1, self.event_size]) for each in (x, logits)]
        return tf.reshape(-tf.nn.softmax_cross_entropy_with_logits(labels=rows[0], logits=rows[1]), shape)

    def _entropy(self) -> Any:
        return -tf.reduce_sum(tf.nn.log_softmax(self.logits) * self.probs, axis=-1)

    def _mode(self) -> Any:
        mode = tf.one_hot(tf.argmax(self.logits, axis=self._batch_rank), self.event_size, dtype=self.dtype)
        mode.set_shape(self.logits.shape)
        return mode

    def _variance(self) -> Any:
        return self.probs * (1.0 - self.probs)

    def _covariance(self) -> Any:
        products = -tf.matmul(self.probs[..., None], self.probs[..., None, :])
        return tf.matrix_set_diag(products, self._variance())


@tf.distributions.RegisterKL(OneHotCategorical, OneHotCategorical)  # type: ignore[untyped-decorator]
def _kl_divergence(a: Any, b: Any, name: str | None = None) -> Any:
    with tf.name_scope(name, "kl_categorical_categorical", values=[a.logits, b.logits]):
        log_ratio = tf.nn.log_softmax(a.logits) - tf.nn.log_softmax(b.logits)
        return tf.reduce_sum(tf.nn.softmax(a.logits) * log_ratio, axis=-1)
