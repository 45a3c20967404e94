# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Flows whose parts each depend on those before, by tf.contrib.distributions.bijectors."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from tensorflow.python.ops.distributions.bijector_impl import Bijector

import tf1mem.v1 as tf


class MaskedAutoregressiveFlow(Bijector):  # type: ignore[misc]
    """x * exp(log_scale(y)) + shift(y), where both say for each part what those of y before it make of it.

    Args:
        shift_and_log_scale_fn: Of y, the shifts and the logarithms of the scales, or None in place of either.
        is_constant_jacobian: Whether the scales don't depend on y.
        validate_args: Kept for those who ask.
        unroll_loop: Whether the steps of `forward` are ops of their own, and no loop; the size has to be known then.
        name: The name.
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
        # After each step one more part is right.
        size = tf.dimension_value(x.shape.with_rank_at_least(1)[-1])
        y = tf.zeros_like(x, name="y0")
        if self._unroll_loop:
            if size is None:
                raise ValueError(f"x: its last size isn't known, {x.shape}. Set its shape, or leave unroll_loop out.")
            for _ in range(size):
                y = self._step(x, y)
            return y
        self._shift_and_log_scale_fn(y)  # Its variables are made outside of the loop.
        parts = tf.shape(x)[-1]
        return tf.while_loop(
            lambda number, _: number < parts,
            lambda number, y: (number + 1, self._step(x, y)),
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
    """A dense layer whose blocks of outputs take only the blocks of inputs before them.

    Args:
        inputs: [..., features]; how many there are has to be known.
        units: How many outputs there are.
        num_blocks: How many blocks inputs and outputs are each dealt out to.
        exclusive: Whether a block leaves out the inputs of its own number.
        kernel_initializer: The weights'; Glorot's normal one by default.
        reuse: Whether the variables are those of an earlier layer.
        name: The layer's name.
        args: What `tf.layers.Dense` takes else.
        kwargs: The same.

    Raises:
        NotImplementedError: The number of features isn't known.
    """
    features = _size(inputs)
    into, out_of = units // num_blocks, features // num_blocks
    mask = np.zeros([features, units], inputs.dtype.as_numpy_dtype)
    for block in range(num_blocks):
        mask[block * out_of : (block + 1) * out_of, (block + exclusive) * into :] = 1
    initializer = kernel_initializer or tf.glorot_normal_initializer()

    def masked(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return mask * initializer(shape, dtype)

    with tf.name_scope(name, "masked_dense", [inputs, units, num_blocks]):
        layer = tf.layers.Dense(
            units,
            *args,
            kernel_initializer=masked,
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
    """A net of masked layers, as MaskedAutoregressiveFlow takes one.

    Args:
        hidden_layers: How many units each hidden layer has.
        shift_only: Whether there are no scales.
        activation: The hidden layers'.
        log_scale_min_clip: The least logarithm of a scale.
        log_scale_max_clip: The greatest.
        log_scale_clip_gradient: Whether a logarithm that is out of their range has no gradient.
        name: The template's name.
        args: What `masked_dense` takes else.
        kwargs: The same.

    Returns:
        The function; the same variables are used by each call.
    """

    def net(x: Any) -> Any:
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
        raise NotImplementedError(f"inputs: their last size isn't known, {x.shape}. Set their shape.")
    return size
