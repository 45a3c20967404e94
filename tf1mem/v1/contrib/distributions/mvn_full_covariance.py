# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The multivariate normal distribution with a covariance matrix as its parameter (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.distributions.mvn_tril import MultivariateNormalTriL


class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """Multivariate normal distribution with a full covariance matrix.

    Args:
        loc: Mean, `[..., size]` float tensor; zeros by default.
        covariance_matrix: Covariance, `[..., size, size]` float tensor; the identity by default.
        validate_args: True to check at run time that the covariance is symmetric.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.

    Raises:
        ValueError: `loc` and `covariance_matrix` are both missing.
    """

    def __init__(
        self,
        loc: Any = None,
        covariance_matrix: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalFullCovariance",
    ) -> None:
        parameters = dict(locals())
        with tf.name_scope(name) as scope, tf.name_scope("init", values=[loc, covariance_matrix]):
            triangle = None
            if covariance_matrix is not None:
                covariance = tf.convert_to_tensor(covariance_matrix, name="covariance_matrix")
                checks = []
                if validate_args:
                    message = "Matrix was not symmetric."
                    checks.append(tf.assert_equal(covariance, tf.matrix_transpose(covariance), message=message))
                with tf.control_dependencies(checks):
                    triangle = tf.cholesky(covariance)
        super().__init__(loc, triangle, validate_args, allow_nan_stats, scope)
        self._parameters = parameters
