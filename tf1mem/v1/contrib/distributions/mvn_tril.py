# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The multivariate normal distribution with a lower triangular matrix as its parameter (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distributions.mvn_linear_operator import MultivariateNormalLinearOperator


class MultivariateNormalTriL(MultivariateNormalLinearOperator):
    """Multivariate normal distribution with a lower triangular scale.

    Args:
        loc: Mean, `[..., size]` float tensor; zeros by default.
        scale_tril: Lower triangular `[..., size, size]` float tensor, the Cholesky factor of the covariance; the
            identity by default.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.

    Raises:
        ValueError: `loc` and `scale_tril` are both missing.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_tril: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalTriL",
    ) -> None:
        parameters = dict(locals())
        if loc is None and scale_tril is None:
            raise ValueError("loc, scale_tril: both are missing. Give one of them, or both.")
        with tf.name_scope(name) as scope, tf.name_scope("init", values=[loc, scale_tril]):
            if scale_tril is None:
                mean = tf.convert_to_tensor(loc, name="loc")
                size = mean.shape.as_list()[-1] or tf.shape(mean)[-1]
                scale = tf.linalg.LinearOperatorIdentity(num_rows=size, dtype=mean.dtype, is_self_adjoint=True)
            else:
                scale = tf.linalg.LinearOperatorLowerTriangular(
                    tf.convert_to_tensor(scale_tril, name="scale_tril"), is_non_singular=True
                )
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters
