# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Regularizers: functions that map weights to a term of the loss."""

from __future__ import annotations

import numbers
from typing import Any, Callable

import tf1mem.v1 as tf


def _check(scale: Any, name: str) -> None:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"{name} cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real) and scale < 0.0:
        raise ValueError(f"Setting {name} less than 0 on a regularizer: {scale}")


def l1_regularizer(scale: Any, scope: str | None = None) -> Callable[..., Any]:
    """Returns a function from weights to `scale * sum(abs(weights))`.

    Args:
        scale: Factor, a float of 0 or more or a tensor of shape `[]`; for 0.0 the function returns None.
        scope: Name scope; "l1_regularizer" by default.

    Returns:
        Function from weights of any shape to a scalar of their dtype.

    Raises:
        ValueError: `scale` is an int, or negative.
    """
    _check(scale, "scale")
    if isinstance(scale, numbers.Real) and scale == 0.0:
        return lambda _: None

    def l1(weights: Any, name: str | None = None) -> Any:
        """Returns the scalar (shape `[]`) L1 penalty of the weights."""
        with tf.name_scope(scope, "l1_regularizer", [weights]) as name_of_scope:
            factor = tf.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return tf.multiply(factor, tf.reduce_sum(tf.abs(weights)), name=name or name_of_scope)

    return l1


def l2_regularizer(scale: Any, scope: str | None = None) -> Callable[..., Any]:
    """Returns a function from weights to `scale * sum(weights ** 2) / 2`.

    Args:
        scale: Factor, a float of 0 or more or a tensor of shape `[]`; for 0.0 the function returns None.
        scope: Name scope; "l2_regularizer" by default.

    Returns:
        Function from weights of any shape to a scalar of their dtype.

    Raises:
        ValueError: `scale` is an int, or negative.
    """
    _check(scale, "scale")
    if isinstance(scale, numbers.Real) and scale == 0.0:
        return lambda _: None

    def l2(weights: Any) -> Any:
        """Returns the scalar (shape `[]`) L2 penalty of the weights."""
        with tf.name_scope(scope, "l2_regularizer", [weights]) as name:
            factor = tf.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return tf.multiply(factor, tf.nn.l2_loss(weights), name=name)

    return l2


def l1_l2_regularizer(scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: str | None = None) -> Callable[..., Any]:
    """Returns a function from weights to `scale_l1 * sum(abs(weights)) + scale_l2 * sum(weights ** 2) / 2`.

    Args:
        scale_l1: Factor of the L1 penalty, a float of 0 or more or a tensor of shape `[]`; 1.0 by default.
        scale_l2: Factor of the L2 penalty, a float of 0 or more or a tensor of shape `[]`; 1.0 by default.
        scope: Name scope; "l1_l2_regularizer" by default.

    Returns:
        Function from weights of any shape to a scalar of their dtype, or to None if both factors are 0.0.

    Raises:
        ValueError: A factor is an int, or negative.
    """
    _check(scale_l1, "scale_l1")
    _check(scale_l2, "scale_l2")
    scope = scope or "l1_l2_regularizer"
    if scale_l1 == 0.0:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.0:
        return l1_regularizer(scale_l1, scope)
    return _sum([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope)


def sum_regularizer(regularizer_list: Any, scope: str | None = None) -> Callable[..., Any] | None:
    """Returns a function that adds up the penalties of several regularizers.

    Args:
        regularizer_list: Functions from weights to a scalar or None; None entries are left out.
        scope: Name scope; "sum_regularizer" by default.

    Returns:
        Function from weights of any shape to a scalar, or to None if no regularizer returns a scalar. None in place of
        the function if `regularizer_list` has no function.
    """
    regularizers = [each for each in regularizer_list if each is not None]
    return _sum(regularizers, scope) if regularizers else None


def _sum(regularizers: list[Any], scope: str | None) -> Callable[..., Any]:

    def total(weights: Any) -> Any:
        """Returns the scalar (shape `[]`) sum of the penalties, or None."""
        with tf.name_scope(scope, "sum_regularizer", [weights]) as name:
            results = [result for result in (each(weights) for each in regularizers) if result is not None]
            return tf.add_n(results, name=name) if results else None

    return total


def apply_regularization(regularizer: Callable[..., Any], weights_list: Any = None) -> Any:
    """Returns the sum of a regularizer's penalties, a scalar, and adds it to the collection REGULARIZATION_LOSSES.

    Args:
        regularizer: Function from weights of any shape to a scalar, or to None, which counts as 0.
        weights_list: List of tensors or variables; None or [] for the collection WEIGHTS.

    Raises:
        ValueError: There are no weights, or the regularizer doesn't return a scalar.
    """
    weights = weights_list or tf.get_collection(tf.GraphKeys.WEIGHTS)
    if not weights:
        raise ValueError("No weights to regularize.")
    with tf.name_scope("get_regularization_penalty", values=weights) as scope:
        penalties = [regularizer(each) for each in weights]
        penalties = [tf.constant(0.0) if each is None else each for each in penalties]
        for penalty in penalties:
            if penalty.shape.ndims != 0:
                raise ValueError(
                    f"regularizer must return a scalar Tensor instead of a Tensor with rank {penalty.shape.ndims}."
                )
        total = tf.add_n(penalties, name=scope)
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, total)
        return total
