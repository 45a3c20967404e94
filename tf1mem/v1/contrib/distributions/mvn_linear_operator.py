# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The multivariate normal distribution whose scale is a LinearOperator (tf.contrib.distributions)."""

from __future__ import annotations

import math
from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1._seeds import makes_other_ops

_DIAGONAL = (tf.linalg.LinearOperatorDiag, tf.linalg.LinearOperatorIdentity, tf.linalg.LinearOperatorScaledIdentity)
_LOG_2_PI = math.log(2.0 * math.pi)


class MultivariateNormalLinearOperator(tf.distributions.Distribution):  # type: ignore[misc]
    """Multivariate normal distribution: `scale @ z + loc`, where z is standard normal.

    Args:
        loc: Mean, `[..., size]` or `[]` float tensor; zeros by default.
        scale: LinearOperator of shape `[..., size, size]`; the covariance is `scale @ transpose(scale)`.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.

    Raises:
        ValueError: `scale` is missing.
        TypeError: The dtype of `scale` is not floating.
    """

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalLinearOperator",
    ) -> None:
        parameters = dict(locals())
        if scale is None:
            raise ValueError("Missing required `scale` parameter.")
        if not scale.dtype.is_floating:
            raise TypeError("scale: its dtype is no float. Give an operator of floats.")
        with tf.name_scope(name, values=[loc]) as scope:
            self._loc = None if loc is None else tf.convert_to_tensor(loc, name="loc", dtype=scale.dtype)
            self._scale = scale
        super().__init__(
            dtype=scale.dtype,
            reparameterization_type=tf.distributions.FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[] if self._loc is None else [self._loc],
            name=scope,
        )
        makes_other_ops(f"contrib.distributions.{type(self).__name__}")

    @property
    def loc(self) -> Any:
        """Returns the mean, of shape `[..., size]`, or None."""
        return self._loc

    @property
    def scale(self) -> Any:
        """Returns the LinearOperator, of shape `[..., size, size]`."""
        return self._scale

    def _event_shape(self) -> Any:
        size = self.scale.range_dimension
        if self.loc is None or self.loc.shape.ndims == 0:
            return tf.TensorShape([size])
        return tf.broadcast_static_shape(tf.TensorShape([size]), self.loc.shape[-1:])

    def _event_shape_tensor(self) -> Any:
        return self.scale.range_dimension_tensor()[None]

    def _batch_shape(self) -> Any:
        if self.loc is None or self.loc.shape.ndims == 0:
            return self.scale.batch_shape
        return tf.broadcast_static_shape(self.scale.batch_shape, self.loc.shape[:-1])

    def _batch_shape_tensor(self) -> Any:
        shape = self.scale.batch_shape_tensor()
        if self.loc is None or self.loc.shape.ndims == 0:
            return shape
        return tf.broadcast_dynamic_shape(shape, tf.shape(self.loc)[:-1])

    def _shifted(self, values: Any) -> Any:
        return values if self.loc is None else values + self.loc

    def _broadcast_to_shape(self, values: Any) -> Any:
        """Broadcasts values to batch shape and event shape."""
        shape = tf.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        broadcast = values + tf.zeros(shape, self.dtype)
        broadcast.set_shape(self.batch_shape.concatenate(self.event_shape))
        return broadcast

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = tf.concat([[n], self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        normal = tf.random_normal(shape, dtype=self.dtype, seed=seed)
        with tf.control_dependencies(self._checks()):
            return self._shifted(self.scale.matvec(normal))

    def _checks(self) -> list[Any]:
        if not self.validate_args:
            return []
        try:
            return [self.scale.assert_non_singular()]
        except NotImplementedError:  # A program's own LinearOperator may lack the check.
            return []

    def _log_determinant(self) -> Any:
        with tf.control_dependencies(self._checks()):
            return self.scale.log_abs_determinant()

    def _size(self) -> Any:
        return tf.cast(self.scale.domain_dimension_tensor(), self.dtype)

    def _log_prob(self, x: Any) -> Any:
        normal = self.scale.solvevec(x if self.loc is None else x - self.loc)
        squares = tf.reduce_sum(tf.square(normal), -1)
        return -0.5 * (squares + self._size() * _LOG_2_PI) - self._log_determinant()

    def _prob(self, x: Any) -> Any:
        return tf.exp(self._log_prob(x))

    def _entropy(self) -> Any:
        entropy = 0.5 * self._size() * (1.0 + _LOG_2_PI) + self._log_determinant()
        return entropy + tf.zeros(self.batch_shape_tensor(), self.dtype)

    def _mean(self) -> Any:
        return self._broadcast_to_shape(self._shifted(tf.zeros([], self.dtype)))

    def _mode(self) -> Any:
        return self._mean()

    def _covariance(self) -> Any:
        if isinstance(self.scale, _DIAGONAL):
            return tf.matrix_diag(tf.square(self.scale.diag_part()))
        return self.scale.matmul(self.scale.to_dense(), adjoint_arg=True)

    def _variance(self) -> Any:
        if isinstance(self.scale, _DIAGONAL):
            return tf.square(self.scale.diag_part())
        return tf.matrix_diag_part(self._covariance())

    def _stddev(self) -> Any:
        return tf.abs(self.scale.diag_part()) if isinstance(self.scale, _DIAGONAL) else tf.sqrt(self._variance())


@tf.distributions.RegisterKL(MultivariateNormalLinearOperator, MultivariateNormalLinearOperator)  # type: ignore[untyped-decorator]
def _kl_divergence(a: Any, b: Any, name: str | None = None) -> Any:
    with tf.name_scope(name, "kl_mvn", values=[a.loc, b.loc]):
        if isinstance(a.scale, _DIAGONAL) and isinstance(b.scale, _DIAGONAL):
            spread = (a.stddev() / b.stddev())[..., None]
        else:
            spread = b.scale.solve(a.scale.to_dense())
        difference = b.scale.solve((b.mean() - a.mean())[..., None])
        squares = sum(tf.reduce_sum(tf.square(each), axis=[-2, -1]) for each in (spread, difference))
        volumes = b.scale.log_abs_determinant() - a.scale.log_abs_determinant()
        return volumes + 0.5 * (squares - tf.cast(a.scale.domain_dimension_tensor(), a.dtype))
