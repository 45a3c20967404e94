# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Dropout that preserves mean and variance."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf

# The limit of SELU for inputs that go to minus infinity.
_LOWEST = -1.7580993408473766


def alpha_dropout(
    x: Any, keep_prob: Any, noise_shape: Any = None, seed: int | None = None, name: str | None = None
) -> Any:
    """Applies alpha dropout, which preserves mean and variance; Klambauer et al., 2017, arXiv:1706.02515.

    Dropped values become SELU's lower limit; then all values are scaled and shifted.

    Args:
        x: Float tensor of any shape.
        keep_prob: Probability to keep a value, a scalar in (0, 1].
        noise_shape: Shape of the random decisions, broadcast to `x`; that of `x` by default.
        seed: Seed of the random numbers.
        name: Name scope of the ops.

    Returns:
        Tensor of the shape of `x`.

    Raises:
        ValueError: `keep_prob` isn't in (0, 1].
    """
    with tf.name_scope(name, "alpha_dropout", [x]):
        x = tf.convert_to_tensor(x, name="x")
        if isinstance(keep_prob, (int, float)) and not 0 < keep_prob <= 1.0:
            raise ValueError(f"keep_prob must be a scalar tensor or a float in the range (0, 1], got {keep_prob:g}")
        keep_prob = tf.convert_to_tensor(keep_prob, dtype=x.dtype, name="keep_prob")
        keep_prob.shape.assert_has_rank(0)
        if tf.get_static_value(keep_prob) == 1:
            return x
        uniform = tf.random_uniform(tf.shape(x) if noise_shape is None else noise_shape, seed=seed, dtype=x.dtype)
        mask = tf.cast(uniform >= 1 - keep_prob, x.dtype)
        dropped = x * mask + _LOWEST * (1 - mask)
        scale = (keep_prob + keep_prob * (1 - keep_prob) * _LOWEST**2) ** -0.5
        offset = -scale * _LOWEST * (1 - keep_prob)
        return scale * dropped + offset
