# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A scaled softplus with an exact gradient."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf


def scaled_softplus(x: Any, alpha: Any, clip: Any = None, name: str | None = None) -> Any:
    """Returns the scaled softplus `alpha * softplus(x / alpha)`, at most `clip`.

    Args:
        x: Float tensor of any shape.
        alpha: Positive scale, of a shape that broadcasts to `x`.
        clip: Largest result, of a shape that broadcasts to `x`; None for no limit.
        name: Name scope of the ops.

    Returns:
        Tensor of the shape of `x`.
    """
    arguments = [x, alpha] + ([] if clip is None else [clip])
    with tf.name_scope(name, "scaled_softplus", arguments):
        x = tf.convert_to_tensor(x, name="x")
        inputs = [x] + [tf.convert_to_tensor(each, dtype=x.dtype) for each in arguments[1:]]
        return _scaled_softplus(*inputs)


@tf.custom_gradient  # type: ignore[untyped-decorator]
def _scaled_softplus(x: Any, alpha: Any, *clip: Any) -> tuple[Any, Callable[[Any], list[Any]]]:
    unclipped = alpha * tf.nn.softplus(x / alpha)
    y = tf.minimum(unclipped, clip[0]) if clip else tf.identity(unclipped)

    def gradient(grad_y: Any) -> list[Any]:
        """Returns the gradients of `x`, `alpha` and, if there is one, `clip`, each in the shape of its tensor."""
        grad_clip = []
        if clip:
            below = tf.cast(y < clip[0], grad_y.dtype)
            grad_clip = [_summed_to(grad_y * (1.0 - below), clip[0])]
            grad_y *= below
        # The gradients are computed from the result y, not from x: so exp(x / alpha), which may overflow, isn't needed.
        scaled = y / alpha
        falling = tf.exp(-scaled)
        slope_x = 1.0 - falling
        slope_alpha = scaled * falling - slope_x * tf.log(slope_x + 1e-8)
        return [_summed_to(grad_y * slope_x, x), _summed_to(grad_y * slope_alpha, alpha), *grad_clip]

    return y, gradient


def _summed_to(gradient: Any, tensor: Any) -> Any:
    """Returns the gradient of a tensor that was broadcast: `gradient`, summed to the tensor's own shape."""
    shape = tf.shape(tensor)
    axes, _ = tf.raw_ops.BroadcastGradientArgs(s0=shape, s1=tf.shape(gradient))
    return tf.reshape(tf.reduce_sum(gradient, axes), shape)
