# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""An optimizer wrapper for several losses that are trained in turn."""

from __future__ import annotations

from types import MethodType
from typing import Any, Callable

import tf1mem.v1 as tf


class MultitaskOptimizerWrapper:
    """Changes an optimizer: it leaves a variable (of any shape) and its slots alone if the gradient is all zeros.

    Args:
        opt: The optimizer, which is changed in place.

    Raises:
        TypeError: `opt` is no tf.train.Optimizer.
    """

    def __init__(self, opt: Any) -> None:
        if not isinstance(opt, tf.train.Optimizer):
            raise TypeError(f"opt: {opt!r} is no tf.train.Optimizer. Give one.")
        self._opt = opt
        for name in ("_apply_dense", "_resource_apply_dense", "_apply_sparse", "_resource_apply_sparse"):
            setattr(opt, name, MethodType(_unless_zero(getattr(opt, name)), opt))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opt, name)


def _unless_zero(method: Callable[..., Any]) -> Callable[..., Any]:
    def around(self: Any, grad: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns an op that applies a gradient (of any shape), unless it is all zeros."""

        def call() -> Any:
            """Applies the gradient (of any shape), and returns an op."""
            with tf.control_dependencies([method(grad, *args, **kwargs)]):
                return tf.no_op()

        return tf.cond(_is_all_zeros(grad), tf.no_op, call)

    return around


def _is_all_zeros(grad: Any) -> Any:
    return tf.equal(tf.count_nonzero(grad), 0)


def clip_gradients_by_global_norm(gradients_variables: Any, clip_norm: float = 20.0) -> tuple[Any, Any]:
    """Clips gradients by their global norm, to which gradients that are all zeros add nothing.

    Args:
        gradients_variables: (gradient, variable) pairs; gradients have the variables' shapes.
        clip_norm: Maximum global norm; 20.0 by default.

    Returns:
        The list of pairs with clipped gradients, and the norm before clipping, of shape `[]`.
    """
    gradients, variables = zip(*gradients_variables)

    def zeros_as_scalar(grad: Any) -> Any:
        """Returns a zero of shape `[]` for a gradient of zeros, else the gradient."""
        if grad is None:
            return None
        return tf.cond(_is_all_zeros(grad), lambda: tf.zeros([], dtype=tf.as_dtype(grad.dtype)), lambda: grad)

    norm = tf.global_norm([zeros_as_scalar(grad) for grad in gradients])
    clipped, _ = tf.clip_by_global_norm(gradients, clip_norm, use_norm=norm)
    return list(zip(clipped, variables)), norm
