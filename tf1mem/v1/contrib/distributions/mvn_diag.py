# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Normal distributions of vectors whose numbers are independent, by tf.contrib.distributions."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distributions.mvn_linear_operator import MultivariateNormalLinearOperator


def _scale(loc: Any, scale_diag: Any, multiplier: Any) -> Any:
    """The operator that multiplies by a diagonal, a number, or both."""
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
    """A normal distribution of vectors whose numbers are independent.

    Args:
        loc: The mean; zeros by default.
        scale_diag: The standard deviations; ones by default.
        scale_identity_multiplier: A number that is added to them.
        validate_args: See `MultivariateNormalLinearOperator`.
        allow_nan_stats: See there.
        name: The name.

    Raises:
        ValueError: The size of the vectors can't be told.
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
        with tf.name_scope(name) as scope, tf.name_scope("init"):
            scale = _scale(loc, scale_diag, scale_identity_multiplier)
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """`MultivariateNormalDiag` whose standard deviations are the softplus of what is given; see there."""

    def __init__(
        self,
        loc: Any,
        scale_diag: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagWithSoftplusScale",
    ) -> None:
        with tf.name_scope(name, values=[scale_diag]) as scope:
            deviations = tf.nn.softplus(scale_diag)
        super().__init__(loc, deviations, None, validate_args, allow_nan_stats, scope)
