# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Base classes of distributions that have the same parameters or shapes."""

from __future__ import annotations

from functools import reduce
from typing import Any

import tf1mem.v1 as tf


class ScalarDistribution(tf.distributions.Distribution):  # type: ignore[misc]
    """Base class of distributions of single numbers; the batch has the shape that the parameters broadcast to."""

    # Names of the properties of the parameters.
    _batch_parameters: tuple[str, ...] = ()

    def _batch_shape_tensor(self) -> Any:
        shapes = [tf.shape(getattr(self, name)) for name in self._batch_parameters]
        return reduce(tf.broadcast_dynamic_shape, shapes)

    def _batch_shape(self) -> Any:
        return reduce(tf.broadcast_static_shape, [getattr(self, name).shape for name in self._batch_parameters])

    def _event_shape_tensor(self) -> Any:
        return tf.constant([], tf.int32)

    def _event_shape(self) -> Any:
        return tf.TensorShape([])


class LocationScaleDistribution(ScalarDistribution):
    """Base class of distributions that a location and a scale describe.

    Args:
        loc: Location, a float tensor with shape `[...]`.
        scale: Scale, a positive float tensor with shape `[...]`.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.
        parameters: Arguments of the subclass's constructor, by name.
    """

    _batch_parameters = ("loc", "scale")

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool,
        allow_nan_stats: bool,
        name: str,
        parameters: dict[str, Any],
    ) -> None:
        with tf.name_scope(name, values=[loc, scale]) as scope:
            with tf.control_dependencies([tf.assert_positive(scale)] if validate_args else []):
                self._loc, self._scale = tf.identity(loc, name="loc"), tf.identity(scale, name="scale")
            tf.debugging.assert_same_float_dtype([self._loc, self._scale])
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=tf.distributions.FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._loc, self._scale],
            name=scope,
        )

    @property
    def loc(self) -> Any:
        """Returns the location, which is the median, of shape `[...]`."""
        return self._loc

    @property
    def scale(self) -> Any:
        """Returns the scale, of shape `[...]`."""
        return self._scale


class ClassVectorDistribution(tf.distributions.Distribution):  # type: ignore[misc]
    """Base class of distributions of `[..., num_classes]` vectors."""

    _event_size: Any
    _logits: Any
    _probs: Any

    @property
    def event_size(self) -> Any:
        """Returns the number of classes, int32 of shape `[]`."""
        return self._event_size

    @property
    def logits(self) -> Any:
        """Returns the log-probabilities up to a constant, of shape `[..., num_classes]`."""
        return self._logits

    @property
    def probs(self) -> Any:
        """Returns the probabilities, of shape `[..., num_classes]`."""
        return self._probs

    def _batch_shape_tensor(self) -> Any:
        return tf.shape(self.logits)[:-1]

    def _batch_shape(self) -> Any:
        return self.logits.shape[:-1]

    def _event_shape_tensor(self) -> Any:
        return tf.shape(self.logits)[-1:]

    def _event_shape(self) -> Any:
        return self.logits.shape.with_rank_at_least(1)[-1:]

    def _validated(self, x: Any) -> Any:
        """Returns logarithms of vectors of sum 1, `[..., num_classes]`, with checks if `validate_args` is True."""
        if not self.validate_args:
            return x
        size = tf.reduce_logsumexp(x, axis=[-1])
        checks = [tf.debugging.assert_non_positive(x), tf.debugging.assert_near(tf.zeros([], self.dtype), size)]
        with tf.control_dependencies(checks):
            return tf.identity(x)
