# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Distributions transformed by a bijector (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions.identity_bijector import Identity
from tensorflow.python.ops.distributions.util import rotate_transpose

import tf1mem.v1 as tf
from tf1mem.v1._seeds import makes_other_ops


class TransformedDistribution(tf.distributions.Distribution):  # type: ignore[misc]
    """Distribution of another distribution's samples after a bijector was applied to them.

    Args:
        distribution: The tf.distributions.Distribution to transform.
        bijector: The bijector; the identity by default.
        batch_shape: `[rank]` int32 batch shape, to replace that of a distribution with batch shape `[]`.
        event_shape: `[rank]` int32 event shape of the bijector's input, to replace that of a scalar distribution.
        validate_args: True to check at run time shapes that are unknown statically.
        name: Name of the distribution; by default the bijector's name (if one is set) and the distribution's, joined.

    Raises:
        ValueError: `batch_shape` or `event_shape` isn't a vector of positive numbers, or replaces a shape that isn't
            `[]`.
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
        parameters = dict(locals())
        name = name or ("" if bijector is None else bijector.name) + distribution.name
        with tf.name_scope(name, values=[event_shape, batch_shape]) as scope:
            self._bijector = Identity(validate_args=validate_args) if bijector is None else bijector
            scalar_batch, scalar_event = distribution.is_scalar_batch(), distribution.is_scalar_event()
            self._batch = _replacement_shape("batch_shape", batch_shape, scalar_batch, validate_args)
            self._event = _replacement_shape("event_shape", event_shape, scalar_event, validate_args)
        # True if the distribution draws samples with the event axes first and its own batch axes last: `_sample_n` then
        # rotates the event axes to the end.
        scalar = tf.get_static_value(scalar_batch)
        self._rotates = self._event is not None and self._batch is None and (scalar is None or not scalar)
        self._distribution = distribution
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            graph_parents=[*distribution._graph_parents, *self._bijector.graph_parents],
            name=scope,
        )
        makes_other_ops(f"contrib.distributions.{type(self).__name__}")

    @property
    def distribution(self) -> Any:
        """Returns the underlying distribution, from which samples are drawn.

        Its batch or event shape is `[]` where the constructor's `batch_shape` or `event_shape` replaces it.
        """
        return self._distribution

    @property
    def bijector(self) -> Any:
        """Returns the bijector that transforms samples and their event shape; the identity by default."""
        return self._bijector

    def _event_shape_tensor(self) -> Any:
        event = self.distribution.event_shape_tensor() if self._event is None else self._event
        return self.bijector.forward_event_shape_tensor(event)

    def _event_shape(self) -> Any:
        return self.bijector.forward_event_shape(
            self.distribution.event_shape if self._event is None else _static_shape(self._event)
        )

    def _batch_shape_tensor(self) -> Any:
        return self.distribution.batch_shape_tensor() if self._batch is None else self._batch

    def _batch_shape(self) -> Any:
        return self.distribution.batch_shape if self._batch is None else _static_shape(self._batch)

    def _event_ndims(self) -> Any:
        known = self.event_shape.ndims
        return tf.size(self.event_shape_tensor()) if known is None else known

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        replaced_shapes = [each for each in (self._batch, self._event) if each is not None]
        shape = tf.concat([*replaced_shapes, [n]] if self._rotates else [[n], *replaced_shapes], 0)
        x = self.distribution.sample(shape, seed=seed)
        return rotate_transpose(x, -tf.size(self._event)) if self._rotates else x

    def _call_sample_n(self, sample_shape: Any, seed: int | None, name: str, **kwargs: Any) -> Any:
        # The bijector comes last: it caches its input, so that log_prob needs no inverse of the sample.
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

    def _at_inverse(self, function: str, y: Any) -> Any:
        self._check_has_one_inverse(function)
        return getattr(self.distribution, function)(self.bijector.inverse(y))

    def _check_has_one_inverse(self, function: str) -> None:
        # As in TensorFlow 1, a replaced event shape raises an error even if the bijector is injective.
        if self._event is not None:
            raise NotImplementedError(f"{function}: not implemented when overriding event_shape. Leave it out.")
        if not self.bijector._is_injective:
            raise NotImplementedError(f"{function}: {self.bijector.name} isn't injective. Use another bijector.")

    def _log_cdf(self, y: Any) -> Any:
        return self._at_inverse("log_cdf", y)

    def _cdf(self, y: Any) -> Any:
        return self._at_inverse("cdf", y)

    def _log_survival_function(self, y: Any) -> Any:
        return self._at_inverse("log_survival_function", y)

    def _survival_function(self, y: Any) -> Any:
        return self._at_inverse("survival_function", y)

    def _quantile(self, value: Any) -> Any:
        self._check_has_one_inverse("quantile")
        return self.bijector.forward(self.distribution.quantile(value))

    def _entropy(self) -> Any:
        if not (self.bijector.is_constant_jacobian and self.bijector._is_injective):
            raise NotImplementedError(
                f"entropy: it has no closed form because the Jacobian of {self.bijector.name} isn't constant. "
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


def _replacement_shape(name: str, shape: Any, is_scalar: Any, validate_args: bool) -> Any:
    """Returns the int32 tensor of a shape that replaces a distribution's; None if the distribution keeps its shape.

    Args:
        name: Name of the constructor's argument.
        shape: The argument; None, or an empty vector, to keep the distribution's shape.
        is_scalar: Bool tensor, True if the distribution's own shape is `[]`.
        validate_args: True to check at run time shapes that are unknown statically.

    Raises:
        ValueError: The shape is no vector of positive numbers, or the distribution's own shape isn't `[]`.
    """
    if shape is None:
        return None
    shape = tf.convert_to_tensor(shape, tf.int32, name=name)
    if shape.shape.ndims not in (None, 1):
        raise ValueError(f"{name}: its rank is {shape.shape.ndims}. Give a vector.")
    constant, scalar = tf.get_static_value(shape), tf.get_static_value(is_scalar)
    if constant is not None and not constant.size:
        return None
    if constant is not None and (constant <= 0).any():
        raise ValueError(f"{name}: {constant.tolist()} has a number that isn't above 0. Give positive numbers.")
    message = f"{name}: base distribution not scalar: its own isn't []. Leave {name} out."
    if scalar is not None and not scalar:
        raise ValueError(message)
    if not validate_args:
        return shape
    checks = [] if constant is not None else [tf.assert_positive(shape, message=f"{name}: give numbers above 0.")]
    if scalar is None:
        checks.append(tf.assert_equal(is_scalar, True, message=message))
    with tf.control_dependencies(checks):
        return tf.identity(shape) if checks else shape


def _static_shape(shape: Any) -> Any:
    """Returns a shape tensor's value as a TensorShape; a size or rank that is only known at run time is None."""
    sizes, number = tf.get_static_value(shape), tf.dimension_value(shape.shape[0])
    if sizes is not None:
        return tf.TensorShape(sizes.tolist())
    return tf.TensorShape(None if number is None else [None] * number)
