# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Masked autoregressive flows (tf.contrib.distributions.bijectors)."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from tensorflow.python.ops.distributions.bijector_impl import Bijector

import tf1mem.v1 as tf


class MaskedAutoregressiveFlow(Bijector):  # type: ignore[misc]
    """Computes `y = x * exp(log_scale(y)) + shift(y)`; Papamakarios et al. 2017, arXiv:1705.07057.

    Shift and scale of each element depend only on the elements of y before it.

    Args:
        shift_and_log_scale_fn: Function from `[..., size]` y to shift and log-scale of the same shape, or None for
            either.
        is_constant_jacobian: True if the scale doesn't depend on y.
        validate_args: Stored as an attribute; no check depends on it.
        unroll_loop: True to build `forward` without a tf.while_loop; the size of x must be known.
        name: Name of the bijector.
    """

    def __init__(
        self,
        shift_and_log_scale_fn: Callable[[Any], Any],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        unroll_loop: bool = False,
        name: str | None = None,
    ) -> None:
        self._shift_and_log_scale_fn = shift_and_log_scale_fn
        self._unroll_loop = unroll_loop
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "masked_autoregressive_flow",
        )

    def _step(self, x: Any, y: Any) -> Any:
        shift, log_scale = self._shift_and_log_scale_fn(y)
        scaled = x if log_scale is None else x * tf.exp(log_scale)
        return scaled if shift is None else scaled + shift

    def _forward(self, x: Any) -> Any:
        # Each element depends only on those before it, so each step makes one more element correct.
        size = tf.dimension_value(x.shape.with_rank_at_least(1)[-1])
        y = tf.zeros_like(x, name="y0")
        if self._unroll_loop:
            if size is None:
                raise ValueError(
                    f"x: the size of the last axis is unknown, {x.shape}. Set its shape, or leave unroll_loop out."
                )
            for _ in range(size):
                y = self._step(x, y)
            return y
        self._shift_and_log_scale_fn(y)  # The function makes its variables here, outside of the loop.
        num_elements = tf.shape(x)[-1]
        return tf.while_loop(
            lambda step, _: step < num_elements,
            lambda step, y: (step + 1, self._step(x, y)),
            (0, y),
            maximum_iterations=size,
        )[1]

    def _inverse(self, y: Any) -> Any:
        shift, log_scale = self._shift_and_log_scale_fn(y)
        x = y if shift is None else y - shift
        return x if log_scale is None else x * tf.exp(-log_scale)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        log_scale = self._shift_and_log_scale_fn(y)[1]
        return tf.zeros([], y.dtype, name="ildj") if log_scale is None else -tf.reduce_sum(log_scale, axis=-1)


def masked_dense(
    inputs: Any,
    units: int,
    num_blocks: Any = None,
    exclusive: bool = False,
    kernel_initializer: Any = None,
    reuse: Any = None,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Applies a dense layer in which output block i depends only on input blocks 0 to i (MADE).

    Germain et al. 2015, arXiv:1502.03509.

    Args:
        inputs: `[..., features]` float tensor; the number of features must be known.
        units: Number of output units.
        num_blocks: Number of blocks that inputs and outputs are divided into; required.
        exclusive: True to exclude input block i, too.
        kernel_initializer: Initializer of the weights; Glorot normal by default.
        reuse: True to share the variables of an earlier layer.
        name: Name of the layer.
        args: Further positional arguments of `tf.layers.Dense`.
        kwargs: Further keyword arguments of `tf.layers.Dense`.

    Returns:
        `[..., units]` float tensor.

    Raises:
        NotImplementedError: The number of features is unknown.
    """
    features = _size(inputs)
    output_block, input_block = units // num_blocks, features // num_blocks
    mask = np.zeros([features, units], inputs.dtype.as_numpy_dtype)
    for block in range(num_blocks):
        mask[block * input_block : (block + 1) * input_block, (block + exclusive) * output_block :] = 1
    initializer = kernel_initializer or tf.glorot_normal_initializer()

    def masked_initializer(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Initializes the masked weights of this shape."""
        return mask * initializer(shape, dtype)

    with tf.name_scope(name, "masked_dense", [inputs, units, num_blocks]):
        layer = tf.layers.Dense(
            units,
            *args,
            kernel_initializer=masked_initializer,
            kernel_constraint=lambda kernel: mask * kernel,
            name=name,
            dtype=inputs.dtype.base_dtype,
            _scope=name,
            _reuse=reuse,
            **kwargs,
        )
        return layer.apply(inputs)


def masked_autoregressive_default_template(
    hidden_layers: Any,
    shift_only: bool = False,
    activation: Any = tf.nn.relu,
    log_scale_min_clip: float = -5.0,
    log_scale_max_clip: float = 3.0,
    log_scale_clip_gradient: bool = False,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Returns a masked network for `MaskedAutoregressiveFlow`; Germain et al. 2015, arXiv:1502.03509.

    Args:
        hidden_layers: List with the number of units of each hidden layer.
        shift_only: True to return None as the log-scale.
        activation: Activation of the hidden layers; ReLU by default.
        log_scale_min_clip: Minimum of the log-scale.
        log_scale_max_clip: Maximum of the log-scale.
        log_scale_clip_gradient: True to stop the gradient of clipped log-scales.
        name: Name of the template.
        args: Further positional arguments of `masked_dense`.
        kwargs: Further keyword arguments of `masked_dense`.

    Returns:
        A function from `[..., size]` x to shift and log-scale of the same shape; its calls share the variables.
    """

    def net(x: Any) -> Any:
        """Returns shift and log-scale, of the shape of x."""
        size = _size(x)
        shape = x.shape.as_list() if x.shape.is_fully_defined() else tf.shape(x)
        for number, units in enumerate(hidden_layers):
            x = masked_dense(x, units, size, number == 0, *args, activation=activation, **kwargs)
        x = masked_dense(x, size if shift_only else 2 * size, size, *args, activation=None, **kwargs)
        if shift_only:
            return tf.reshape(x, shape), None
        shift, log_scale = tf.unstack(tf.reshape(x, tf.concat([shape, [2]], axis=0)), num=2, axis=-1)
        clipped = tf.clip_by_value(log_scale, log_scale_min_clip, log_scale_max_clip)
        if not log_scale_clip_gradient:
            clipped = log_scale + tf.stop_gradient(clipped - log_scale)
        return shift, clipped

    name = name or "masked_autoregressive_default_template"
    with tf.name_scope(name, values=[log_scale_min_clip, log_scale_max_clip]):
        return tf.make_template(name, net)


def _size(x: Any) -> int:
    size: int | None = tf.dimension_value(x.shape.with_rank_at_least(1)[-1])
    if size is None:
        raise NotImplementedError(f"inputs: the size of the last axis is unknown, {x.shape}. Set the shape.")
    return size
