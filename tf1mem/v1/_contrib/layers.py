"""The initializers and regularizers of contrib.layers, for a TensorFlow 2 without tf_slim.

They compute what contrib's did: contrib/layers/python/layers/initializers.py and regularizers.py of TensorFlow 1.15
are the specification.
"""

from __future__ import annotations

import numbers
from importlib import import_module
from typing import Any, Callable

# What TensorFlow's VarianceScaling divides a standard deviation by to make up for truncation (init_ops.py).
_TRUNCATION = 0.87962566103423978


def _tf() -> Any:
    return import_module("tf1mem.v1")


def variance_scaling_initializer(
    factor: float = 2.0, mode: str = "FAN_IN", uniform: bool = False, seed: int | None = None, dtype: Any = None
) -> Any:
    """An initializer that keeps the variance of its input: contrib's, whose truncated normal is a little wider.

    Args:
        factor: What the variance is multiplied by.
        mode: "FAN_IN", "FAN_OUT" or "FAN_AVG".
        uniform: Whether to draw from a uniform distribution, and not from a truncated normal.
        seed: Of the random numbers.
        dtype: A floating type, float32 by default.

    Raises:
        TypeError: `dtype` is not floating, or `mode` is none of the three.
    """
    tf = _tf()
    dtype = tf.as_dtype(dtype or tf.float32)
    if not dtype.is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError("Unknown mode %s [FAN_IN, FAN_OUT, FAN_AVG]" % mode)
    # contrib makes up for truncation with 1.3 in the variance where VarianceScaling has 1 / 0.8796…².
    scale = factor if uniform else factor * 1.3 * _TRUNCATION**2
    distribution = "uniform" if uniform else "truncated_normal"
    return tf.variance_scaling_initializer(
        scale=scale, mode=mode.lower(), distribution=distribution, seed=seed, dtype=dtype
    )


def xavier_initializer(uniform: bool = True, seed: int | None = None, dtype: Any = None) -> Any:
    """Glorot's initializer: `variance_scaling_initializer` with factor 1 and the average of both fans."""
    return variance_scaling_initializer(factor=1.0, mode="FAN_AVG", uniform=uniform, seed=seed, dtype=dtype)


xavier_initializer_conv2d = xavier_initializer


def _check(scale: Any, name: str) -> None:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"{name} cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real) and scale < 0.0:
        raise ValueError(f"Setting {name} less than 0 on a regularizer: {scale}")


def l1_regularizer(scale: Any, scope: str | None = None) -> Callable[..., Any]:
    """A function that returns `scale` times the sum of the absolute weights."""
    _check(scale, "scale")
    tf = _tf()
    if isinstance(scale, numbers.Real) and scale == 0.0:
        return lambda _: None

    def l1(weights: Any, name: str | None = None) -> Any:
        with tf.name_scope(scope, "l1_regularizer", [weights]) as name_of_scope:
            factor = tf.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return tf.multiply(factor, tf.reduce_sum(tf.abs(weights)), name=name or name_of_scope)

    return l1


def l2_regularizer(scale: Any, scope: str | None = None) -> Callable[..., Any]:
    """A function that returns `scale` times half the sum of the squared weights."""
    _check(scale, "scale")
    tf = _tf()
    if isinstance(scale, numbers.Real) and scale == 0.0:
        return lambda _: None

    def l2(weights: Any) -> Any:
        with tf.name_scope(scope, "l2_regularizer", [weights]) as name:
            factor = tf.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return tf.multiply(factor, tf.nn.l2_loss(weights), name=name)

    return l2


def l1_l2_regularizer(scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: str | None = None) -> Callable[..., Any]:
    """The sum of both."""
    _check(scale_l1, "scale_l1")
    _check(scale_l2, "scale_l2")
    scope = scope or "l1_l2_regularizer"
    if scale_l1 == 0.0:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.0:
        return l1_regularizer(scale_l1, scope)
    return _sum([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope)


def sum_regularizer(regularizer_list: Any, scope: str | None = None) -> Callable[..., Any] | None:
    """A function that adds up the results of several; None entries are left out."""
    regularizers = [each for each in regularizer_list if each is not None]
    return _sum(regularizers, scope) if regularizers else None


def _sum(regularizers: list[Any], scope: str | None) -> Callable[..., Any]:
    tf = _tf()

    def total(weights: Any) -> Any:
        with tf.name_scope(scope, "sum_regularizer", [weights]) as name:
            results = [result for result in (each(weights) for each in regularizers) if result is not None]
            return tf.add_n(results, name=name) if results else None

    return total
