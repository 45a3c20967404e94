# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Distributions of what a bijector makes of another's samples, by tf.contrib.distributions."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions.identity_bijector import Identity
from tensorflow.python.ops.distributions.util import rotate_transpose

import tf1mem.v1 as tf


class TransformedDistribution(tf.distributions.Distribution):  # type: ignore[misc]
    """The distribution of what a bijector makes of another's samples.

    Args:
        distribution: The other one.
        bijector: The bijector; one that leaves samples as they are by default.
        batch_shape: The shape of the batch, in place of that of a distribution without one.
        event_shape: The shape of what the bijector is given, in place of that of a distribution of single numbers.
        validate_args: Whether shapes that are known only when they are computed are checked then.
        name: The name; the bijector's and the distribution's by default.

    Raises:
        ValueError: A shape isn't a vector of numbers above 0, or the distribution has one already.
    """

    def __init__(
        self,
        distribution: Any,
        bijector: Any = None,
        batch_shape: Any = None,
        event_shape: Any = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        name = name or ("" if bijector is None else bijector.name) + distribution.name
        with tf.name_scope(name, values=[event_shape, batch_shape]) as scope:
            self._bijector = Identity(validate_args=validate_args) if bijector is None else bijector
            scalar_batch, scalar_event = distribution.is_scalar_batch(), distribution.is_scalar_event()
            self._batch = _in_place("batch_shape", batch_shape, scalar_batch, validate_args)
            self._event = _in_place("event_shape", event_shape, scalar_event, validate_args)
        # The distribution puts its own batch last, where the event has to be.
        scalar = tf.get_static_value(scalar_batch)
        self._rotates = self._event is not None and self._batch is None and (scalar is None or not scalar)
        self._distribution = distribution
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters={
                "distribution": distribution,
                "bijector": self._bijector,
                "batch_shape": batch_shape,
                "event_shape": event_shape,
            },
            graph_parents=[*distribution._graph_parents, *self._bijector.graph_parents],
            name=scope,
        )

    @property
    def distribution(self) -> Any:
        """The other distribution."""
        return self._distribution

    @property
    def bijector(self) -> Any:
        """What is made of its samples."""
        return self._bijector

    def _event_shape_tensor(self) -> Any:
        event = self.distribution.event_shape_tensor() if self._event is None else self._event
        return self.bijector.forward_event_shape_tensor(event)

    def _event_shape(self) -> Any:
        return self.bijector.forward_event_shape(
            self.distribution.event_shape if self._event is None else _known(self._event)
        )

    def _batch_shape_tensor(self) -> Any:
        return self.distribution.batch_shape_tensor() if self._batch is None else self._batch

    def _batch_shape(self) -> Any:
        return self.distribution.batch_shape if self._batch is None else _known(self._batch)

    def _event_ndims(self) -> Any:
        known = self.event_shape.ndims
        return tf.size(self.event_shape_tensor()) if known is None else known

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        given = [each for each in (self._batch, self._event) if each is not None]
        shape = tf.concat([*given, [n]] if self._rotates else [[n], *given], 0)
        x = self.distribution.sample(shape, seed=seed)
        return rotate_transpose(x, -tf.size(self._event)) if self._rotates else x

    def _call_sample_n(self, sample_shape: Any, seed: int | None, name: str, **kwargs: Any) -> Any:
        # The bijector is last, for it knows what it made a sample of: log_prob needs no inverse then.
        with self._name_scope(name, values=[sample_shape]):
            sample_shape = tf.convert_to_tensor(sample_shape, tf.int32, name="sample_shape")
            sample_shape, n = self._expand_sample_shape_to_vector(sample_shape, "sample_shape")
            x = self._sample_n(n, seed)
            x = tf.reshape(x, tf.concat([sample_shape, tf.shape(x)[1:]], 0))
            return self._set_sample_static_shape(self.bijector.forward(x, **kwargs), sample_shape)

    def _log_prob(self, y: Any) -> Any:
        ndims = self._event_ndims()
        x, ildj = self.bijector.inverse(y), self.bijector.inverse_log_det_jacobian(y, event_ndims=ndims)
        if self.bijector._is_injective:
            return self._log_prob_of(y, x, ildj, ndims)
        return tf.reduce_logsumexp([self._log_prob_of(y, *each, ndims) for each in zip(x, ildj)], axis=0)

    def _log_prob_of(self, y: Any, x: Any, ildj: Any, ndims: Any) -> Any:
        if self._event is None:
            log_prob = self.distribution.log_prob(x)
            return log_prob + tf.cast(ildj, log_prob.dtype)
        log_prob = self.distribution.log_prob(rotate_transpose(x, tf.size(self._event)) if self._rotates else x)
        axes = tf.range(tf.size(self._event))
        log_prob = tf.reduce_sum(log_prob, axes if self._rotates else -1 - axes)
        log_prob += tf.cast(ildj, log_prob.dtype)
        if isinstance(ndims, int) and y.shape.ndims is not None:
            log_prob.set_shape(tf.broadcast_static_shape(y.shape[: y.shape.ndims - ndims], self.batch_shape))
        return log_prob

    def _of_inverse(self, function: str, y: Any) -> Any:
        self._has_one_inverse(function)
        return getattr(self.distribution, function)(self.bijector.inverse(y))

    def _has_one_inverse(self, function: str) -> None:
        if self._event is not None:
            raise NotImplementedError(f"{function}: not implemented when overriding event_shape. Leave that out.")
        if not self.bijector._is_injective:
            raise NotImplementedError(f"{function}: what {self.bijector.name} does can't be undone. Use another.")

    def _log_cdf(self, y: Any) -> Any:
        return self._of_inverse("log_cdf", y)

    def _cdf(self, y: Any) -> Any:
        return self._of_inverse("cdf", y)

    def _log_survival_function(self, y: Any) -> Any:
        return self._of_inverse("log_survival_function", y)

    def _survival_function(self, y: Any) -> Any:
        return self._of_inverse("survival_function", y)

    def _quantile(self, value: Any) -> Any:
        self._has_one_inverse("quantile")
        return self.bijector.forward(self.distribution.quantile(value))

    def _entropy(self) -> Any:
        if not (self.bijector.is_constant_jacobian and self.bijector._is_injective):
            raise NotImplementedError(
                f"entropy: it isn't known where what {self.bijector.name} does to volumes isn't everywhere the same. "
                "Average -log_prob over samples."
            )
        entropy = self.distribution.entropy()
        if self._event is not None:
            entropy *= tf.cast(tf.reduce_prod(self._event), entropy.dtype)
        if self._batch is not None:
            entropy += tf.zeros(self._batch, entropy.dtype)
        zeros = tf.zeros(tf.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0), self.dtype)
        ildj = self.bijector.inverse_log_det_jacobian(zeros, event_ndims=self._event_ndims())
        entropy -= tf.cast(ildj, entropy.dtype)
        entropy.set_shape(self.batch_shape)
        return entropy


def _in_place(name: str, shape: Any, is_scalar: Any, validate_args: bool) -> Any:
    """A shape in place of a distribution's, as a tensor; None where there is none."""
    if shape is None:
        return None
    shape = tf.convert_to_tensor(shape, tf.int32, name=name)
    if shape.shape.ndims not in (None, 1):
        raise ValueError(f"{name}: it has {shape.shape.ndims} dimensions. Give a vector.")
    constant, scalar = tf.get_static_value(shape), tf.get_static_value(is_scalar)
    if constant is not None and not constant.size:
        return None
    if constant is not None and (constant <= 0).any():
        raise ValueError(f"{name}: {constant.tolist()} has a number that isn't above 0. Give others.")
    has_one = f"{name}: base distribution not scalar: it has one already. Leave it out."
    if scalar is not None and not scalar:
        raise ValueError(has_one)
    if not validate_args:
        return shape
    checks = [] if constant is not None else [tf.assert_positive(shape, message=f"{name}: give numbers above 0.")]
    if scalar is None:
        checks.append(tf.assert_equal(is_scalar, True, message=has_one))
    with tf.control_dependencies(checks):
        return tf.identity(shape) if checks else shape


def _known(shape: Any) -> Any:
    """What is known of a shape that is a tensor."""
    sizes, number = tf.get_static_value(shape), tf.dimension_value(shape.shape[0])
    if sizes is not None:
        return tf.TensorShape(sizes.tolist())
    return tf.TensorShape(None if number is None else [None] * number)
