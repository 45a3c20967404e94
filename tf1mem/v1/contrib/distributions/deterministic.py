# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Distributions of a single value (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


# The base class of both distributions; `rank` is the rank of an event.
class _Constant(tf.distributions.Distribution):  # type: ignore[misc]
    def __init__(
        self,
        loc: Any,
        atol: Any,
        rtol: Any,
        validate_args: bool,
        allow_nan_stats: bool,
        name: str,
        rank: int,
        parameters: dict[str, Any],
    ) -> None:
        with tf.name_scope(name, values=[loc, atol, rtol]) as scope:
            self._loc = tf.convert_to_tensor(loc, name="loc")
            if validate_args and rank:
                check = tf.assert_rank_at_least(self._loc, rank, message="Argument loc must be at least rank 1.")
                with tf.control_dependencies([check]):
                    self._loc = tf.identity(self._loc)

            def tolerance(value: Any) -> Any:
                """Converts a tolerance to a tensor whose shape broadcasts to the value."""
                tensor = tf.convert_to_tensor(0 if value is None else value, dtype=self._loc.dtype)
                if not validate_args or value is None:
                    return tensor
                message = "Argument 'tol' must be non-negative"
                with tf.control_dependencies([tf.debugging.assert_non_negative(tensor, message=message)]):
                    return tf.identity(tensor)

            self._atol, self._rtol = tolerance(atol), tolerance(rtol)
            self._slack = self._atol if rtol is None else self._atol + self._rtol * tf.abs(self._loc)
        super().__init__(
            dtype=self._loc.dtype,
            reparameterization_type=tf.distributions.NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._loc],
            name=scope,
        )

    @property
    def loc(self) -> Any:
        """Returns the value, a tensor of any shape."""
        return self._loc

    @property
    def atol(self) -> Any:
        """Returns the absolute tolerance, of a shape that broadcasts to the value's."""
        return self._atol

    @property
    def rtol(self) -> Any:
        """Returns the tolerance relative to the value, of a shape that broadcasts to the value's."""
        return self._rtol

    def _entropy(self) -> Any:
        return tf.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _mean(self) -> Any:
        return tf.identity(self.loc)

    def _mode(self) -> Any:
        return self.mean()

    def _variance(self) -> Any:
        return tf.zeros_like(self.loc)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        number, rank = tf.get_static_value(tf.convert_to_tensor(n)), self.loc.shape.ndims
        if number is None or rank is None:
            return tf.tile(self.loc[None], tf.concat([[n], tf.ones_like(tf.shape(self.loc))], 0))
        return tf.tile(self.loc[None], [number, *[1] * rank])


class Deterministic(_Constant):
    """Distribution of a single number, which has probability 1.

    Args:
        loc: The number, a tensor of shape `[...]`.
        atol: Absolute tolerance within which a number counts as equal; 0 by default.
        rtol: Tolerance relative to the number; 0 by default.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.
    """

    def __init__(
        self,
        loc: Any,
        atol: Any = None,
        rtol: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Deterministic",
    ) -> None:
        parameters = dict(locals())
        super().__init__(loc, atol, rtol, validate_args, allow_nan_stats, name, 0, parameters)

    def _batch_shape_tensor(self) -> Any:
        return tf.shape(self.loc)

    def _batch_shape(self) -> Any:
        return self.loc.shape

    def _event_shape_tensor(self) -> Any:
        return tf.constant([], tf.int32)

    def _event_shape(self) -> Any:
        return tf.TensorShape([])

    def _prob(self, x: Any) -> Any:
        return tf.cast(tf.abs(x - self.loc) <= self._slack, self.dtype)

    def _cdf(self, x: Any) -> Any:
        return tf.cast(x >= self.loc - self._slack, self.dtype)


class VectorDeterministic(_Constant):
    """Distribution of a single vector, which has probability 1.

    Args:
        loc: The vector, a `[..., size]` tensor.
        atol: Absolute tolerance of comparisons, of a shape that broadcasts to `loc`; 0 by default.
        rtol: Tolerance relative to the absolute values of `loc`, of a shape that broadcasts to it; 0 by default.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.
    """

    def __init__(
        self,
        loc: Any,
        atol: Any = None,
        rtol: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorDeterministic",
    ) -> None:
        parameters = dict(locals())
        super().__init__(loc, atol, rtol, validate_args, allow_nan_stats, name, 1, parameters)

    def _batch_shape_tensor(self) -> Any:
        return tf.shape(self.loc)[:-1]

    def _batch_shape(self) -> Any:
        return self.loc.shape[:-1]

    def _event_shape_tensor(self) -> Any:
        return tf.shape(self.loc)[-1:]

    def _event_shape(self) -> Any:
        return self.loc.shape[-1:]

    def _prob(self, x: Any) -> Any:
        if self.validate_args:
            with tf.control_dependencies([tf.debugging.assert_rank_at_least(x, 1)]):
                message = "Argument 'x' not defined in the same space R^k as this distribution"
                check = tf.debugging.assert_equal(self.event_shape_tensor(), tf.shape(x)[-1:], message=message)
            with tf.control_dependencies([check]):
                x = tf.identity(x)
        return tf.cast(tf.reduce_all(tf.abs(x - self.loc) <= self._slack, axis=-1), self.dtype)
