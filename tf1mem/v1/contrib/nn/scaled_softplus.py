# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A softplus with a scale, and a gradient that stays exact, by tf.contrib.nn."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf


def scaled_softplus(x: Any, alpha: Any, clip: Any = None, name: str | None = None) -> Any:
    """Softplus with a scale, alpha * softplus(x / alpha), or `clip` where that is less.

    Args:
        x: A tensor.
        alpha: The scale, greater than 0, that broadcasts to `x`.
        clip: The largest result, that broadcasts to `x`.
        name: The name scope.
    """
    given = [x, alpha] + ([] if clip is None else [clip])
    with tf.name_scope(name, "scaled_softplus", given):
        x = tf.convert_to_tensor(x, name="x")
        inputs = [x] + [tf.convert_to_tensor(each, dtype=x.dtype) for each in given[1:]]
        return _scaled_softplus(*inputs)


@tf.custom_gradient  # type: ignore[untyped-decorator]
def _scaled_softplus(x: Any, alpha: Any, *clip: Any) -> tuple[Any, Callable[[Any], list[Any]]]:
    unclipped = alpha * tf.nn.softplus(x / alpha)
    y = tf.minimum(unclipped, clip[0]) if clip else tf.identity(unclipped)

    def gradient(of_y: Any) -> list[Any]:
        of_clip = []
        if clip:
            below = tf.cast(y < clip[0], of_y.dtype)
            of_clip = [_summed_to(of_y * (1.0 - below), clip[0])]
            of_y *= below
        # By the result itself, not by x: it is exact where exp(x / alpha) is too large.
        scaled = y / alpha
        falling = tf.exp(-scaled)
        of_x = 1.0 - falling
        of_alpha = scaled * falling - of_x * tf.log(of_x + 1e-8)
        return [_summed_to(of_y * of_x, x), _summed_to(of_y * of_alpha, alpha), *of_clip]

    return y, gradient


def _summed_to(gradient: Any, tensor: Any) -> Any:
    """A gradient of what a tensor was broadcast to, as the tensor's own."""
    shape = tf.shape(tensor)
    axes, _ = tf.raw_ops.BroadcastGradientArgs(s0=shape, s1=tf.shape(gradient))
    return tf.reshape(tf.reduce_sum(gradient, axes), shape)
