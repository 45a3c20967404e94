# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The chi-squared distribution (tf.contrib.distributions)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


class Chi2(tf.distributions.Gamma):  # type: ignore[misc]
    """Chi-squared distribution: the sum of the squares of `df` standard normal variables.

    Args:
        df: Degrees of freedom, a positive float tensor with shape `[...]`.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.
    """

    def __init__(self, df: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Chi2") -> None:
        parameters = dict(locals())
        with tf.name_scope(name, values=[df]) as scope:
            with tf.control_dependencies([tf.assert_positive(df)] if validate_args else []):
                self._df = tf.identity(df, name="df")
            super().__init__(
                concentration=0.5 * self._df,
                rate=tf.constant(0.5, dtype=self._df.dtype),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = parameters

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return {"df": tf.convert_to_tensor(sample_shape, dtype=tf.int32)}

    @property
    def df(self) -> Any:
        """Returns the degrees of freedom, of shape `[...]`."""
        return self._df


class Chi2WithAbsDf(Chi2):
    """Chi-squared distribution with `floor(abs(df))` degrees of freedom.

    Args:
        df: Float tensor with shape `[...]`.
        validate_args: True to check arguments at run time.
        allow_nan_stats: True to return NaN for undefined statistics, False to raise an error.
        name: Name of the distribution.
    """

    def __init__(
        self, df: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Chi2WithAbsDf"
    ) -> None:
        parameters = dict(locals())
        with tf.name_scope(name, values=[df]) as scope:
            super().__init__(
                df=tf.floor(tf.abs(df, name="abs_df"), name="floor_abs_df"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = parameters
