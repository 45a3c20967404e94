# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Weights of the signs for AddSign and PowerSign, as functions of the step; Bello et al. 2017, arXiv:1709.07417."""

from __future__ import annotations

import math
from typing import Any, Callable

import tf1mem.v1 as tf


def get_linear_decay_fn(decay_steps: Any) -> Callable[[Any], Any]:
    """Returns a function from the step to a weight that falls linearly from 1 to 0.

    Args:
        decay_steps: Number of steps after which the weight stays 0.

    Returns:
        Function from an int tensor of shape `[]` to a float32 tensor of shape `[]`.
    """

    def decay(global_step: Any) -> Any:
        """Returns the weight, a float32 of shape `[]`."""
        step = _until(global_step, decay_steps, "linear_decay")
        left = tf.cast(decay_steps, tf.int32) - tf.cast(step, tf.int32)
        return tf.maximum(0.0, tf.cast(left, tf.float32) / tf.cast(decay_steps, tf.float32))

    return decay


def get_cosine_decay_fn(decay_steps: Any, num_periods: float = 0.5, zero_after: Any = None) -> Callable[[Any], Any]:
    """Returns a function from the step (shape `[]`) to a weight that starts at 1 and follows a cosine.

    Args:
        decay_steps: Number of steps after which the weight stays constant.
        num_periods: Number of periods of the cosine in these steps; 0.5 by default.
        zero_after: Number of periods after which the weight is 0; None for never.
    """

    def decay(global_step: Any) -> Any:
        """Returns the weight, a float32 of shape `[]`."""
        step = _until(global_step, decay_steps, "cosine_decay")
        fraction = 2.0 * num_periods * (tf.cast(step, tf.float32) / tf.cast(decay_steps, tf.float32))
        return _cosine(fraction, None if zero_after is None else tf.greater_equal(fraction, 2 * zero_after))

    return decay


def get_restart_decay_fn(decay_steps: Any, num_periods: int = 1, zero_after: Any = None) -> Callable[[Any], Any]:
    """Returns a function from the step to a weight that falls from 1 to 0 several times along half a cosine.

    Step and weight have the shape `[]`. Simplified from Loshchilov and Hutter 2016, arXiv:1608.03983.

    Args:
        decay_steps: Number of steps after which the weight stays 1; it stays 0 once `zero_after` periods are over.
        num_periods: Number of falls from 1 to 0 in these steps; 1 by default.
        zero_after: Number of periods after which the weight is 0; None for never.
    """

    def decay(global_step: Any) -> Any:
        """Returns the weight, a float32 of shape `[]`."""
        step = _until(global_step, decay_steps, "cosine_decay")
        done = tf.mod(num_periods * tf.cast(step, tf.float32), decay_steps)
        steps = tf.cast(decay_steps, tf.float32)
        periods = tf.cast(num_periods * step, tf.float32) / steps
        return _cosine(done / steps, None if zero_after is None else tf.greater_equal(periods, zero_after))

    return decay


def _until(global_step: Any, decay_steps: Any, function: str) -> Any:
    if global_step is None:
        raise ValueError(f"global_step is required for {function}.")
    return tf.minimum(global_step, decay_steps)


def _cosine(fraction: Any, is_over: Any) -> Any:
    decayed = 0.5 * (1.0 + tf.cos(tf.constant(math.pi) * fraction))
    return decayed if is_over is None else tf.where(is_over, tf.zeros_like(decayed), decayed)
