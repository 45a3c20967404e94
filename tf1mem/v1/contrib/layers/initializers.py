# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Initializers that keep the variance of a layer's inputs."""

from __future__ import annotations

import math
from typing import Any, Callable

import tf1mem.v1 as tf

_MODES = ("FAN_IN", "FAN_OUT", "FAN_AVG")


def variance_scaling_initializer(
    factor: float = 2.0, mode: str = "FAN_IN", uniform: bool = False, seed: int | None = None, dtype: Any = tf.float32
) -> Callable[..., Any]:
    """Returns an initializer that keeps the variance of a layer's input; He et al. 2015, arXiv:1502.01852.

    Its truncated normal is a little wider than that of tf.variance_scaling_initializer.

    Args:
        factor: Factor of the variance; 2.0 by default.
        mode: "FAN_IN" (default), "FAN_OUT" or "FAN_AVG".
        uniform: True for a uniform distribution, False for a truncated normal.
        seed: Seed of the random numbers.
        dtype: Float dtype of the values.

    Returns:
        A function of a shape and a dtype.

    Raises:
        TypeError: `dtype` is not floating, or `mode` is unknown.
    """
    _check_floating(dtype)
    if mode not in _MODES:
        raise TypeError(f"Unknown mode {mode} {_MODES}")

    def initializer(shape: Any, dtype: Any = dtype, partition_info: Any = None) -> Any:
        """Draws values of a shape whose last two axes are inputs and outputs; axes before them are a window."""
        _check_floating(dtype)
        window = 1.0
        for size in shape[:-2]:
            window *= float(size)
        fan_in, fan_out = (float(shape[-2 if len(shape) > 1 else -1]), float(shape[-1])) if shape else (1.0, 1.0)
        fans = {"FAN_IN": fan_in, "FAN_OUT": fan_out, "FAN_AVG": (fan_in + fan_out) / 2.0}
        variance = factor / (fans[mode] * window)
        if uniform:
            limit = math.sqrt(3.0 * variance)
            return tf.random_uniform(shape, -limit, limit, dtype, seed=seed)
        # Truncation lowers the variance; 1.3 makes up for it.
        return tf.truncated_normal(shape, 0.0, math.sqrt(1.3 * variance), dtype, seed=seed)

    return initializer


def _check_floating(dtype: Any) -> None:
    if not tf.as_dtype(dtype).is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")


def xavier_initializer(uniform: bool = True, seed: int | None = None, dtype: Any = tf.float32) -> Callable[..., Any]:
    """Returns the Xavier initializer for weights of any shape; Glorot and Bengio 2010 (AISTATS).

    It is `variance_scaling_initializer` with factor 1 and the mean of both fans.

    Args:
        uniform: True (default) for a uniform distribution, False for a truncated normal.
        seed: Seed of the random numbers.
        dtype: Float dtype of the values; float32 by default.

    Returns:
        A function of a shape and a dtype.

    Raises:
        TypeError: `dtype` is not floating.
    """
    return variance_scaling_initializer(factor=1.0, mode="FAN_AVG", uniform=uniform, seed=seed, dtype=dtype)


xavier_initializer_conv2d = xavier_initializer
