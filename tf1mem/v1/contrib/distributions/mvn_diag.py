# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Multivariate normal distributions with a diagonal covariance (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distributions.mvn_linear_operator import MultivariateNormalLinearOperator


def _scale(loc: Any, scale_diag: Any, multiplier: Any) -> Any:
    """Returns the LinearOperator of a diagonal, a multiple of the identity, or their sum."""
    if multiplier is not None:
        multiplier = tf.convert_to_tensor(multiplier, name="scale_identity_multiplier")
    if scale_diag is not None:
        diagonal = tf.convert_to_tensor(scale_diag, name="scale_diag")
        if multiplier is not None:
            diagonal = diagonal + multiplier[..., None]
        return tf.linalg.LinearOperatorDiag(diagonal, is_non_singular=True, is_self_adjoint=True)
    if loc is None:
        raise ValueError("Cannot infer `event_shape` unless `loc` or `scale_diag` is specified.")
    loc = tf.convert_to_tensor(loc, name="loc")
    size = loc.shape.as_list()[-1] or tf.shape(loc)[-1]
    if multiplier is None:
        return tf.linalg.LinearOperatorIdentity(num_rows=size, dtype=loc.dtype, is_self_adjoint=True)
    return tf.linalg.LinearOperatorScaledIdentity(num_rows=size, multiplier=multiplier, is_self_adjoint=True)


class MultivariateNormalDiag(MultivariateNormalLinearOperator):
    """Multivariate normal distribution with a diagonal covariance.

    Args:
        loc: Mean, `[..., size]` float tensor; zeros by default.
        scale_diag: Standard deviations, `[..., size]` float tensor; ones by default, without a multiplier.
        scale_identity_multiplier: Number added to `scale_diag`, or the standard deviation without it, of shape `[...]`.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.

    Raises:
        ValueError: `loc` and `scale_diag` are both missing.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        parameters = dict(locals())
        with tf.name_scope(name) as scope, tf.name_scope("init"):
            scale = _scale(loc, scale_diag, scale_identity_multiplier)
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """Normal distribution of vectors with independent elements and `softplus(scale_diag)` as standard deviations.

    Args:
        loc: Mean, `[..., size]` float tensor; None for zeros.
        scale_diag: Inputs of the softplus, `[..., size]` float tensor.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.

    Raises:
        ValueError: `scale_diag` is None.
    """

    def __init__(
        self,
        loc: Any,
        scale_diag: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagWithSoftplusScale",
    ) -> None:
        parameters = dict(locals())
        with tf.name_scope(name, values=[scale_diag]) as scope:
            deviations = tf.nn.softplus(scale_diag)
        super().__init__(loc, deviations, None, validate_args, allow_nan_stats, scope)
        self._parameters = parameters
