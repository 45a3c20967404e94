# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Derivatives forwards, by tf.contrib.nn."""

from __future__ import annotations

from typing import Any, Sequence

import tf1mem.v1 as tf


def fwd_gradients(
    ys: Sequence[Any], xs: Sequence[Any], grad_xs: Sequence[Any] | None = None, assert_unused: bool = False
) -> Any:
    """What a change of inputs changes in outputs: for each output a tensor of its shape.

    Args:
        ys: The outputs.
        xs: The inputs.
        grad_xs: The change of each input; ones by default.
        assert_unused: Whether it is an error to compute the backward derivatives that this is made of.
    """
    # A gradient is linear in what it is multiplied by: its own derivative for that is the one forwards. The value there
    # doesn't matter, and none is the one that shows where it does.
    factors = [tf.zeros_like(y) + float("nan") for y in ys]
    backwards = [
        tf.convert_to_tensor(each) if isinstance(each, tf.IndexedSlices) else each
        for each in tf.gradients(ys, xs, grad_ys=factors)
    ]
    if assert_unused:
        with tf.control_dependencies(backwards):
            failing = tf.Assert(False, [1], name="fwd_gradients")
        with tf.control_dependencies([failing]):
            backwards = tf.identity_n(backwards)
    backwards = [tf.zeros_like(x) if each is None else each for x, each in zip(xs, backwards)]
    for x, each in zip(xs, backwards):
        each.set_shape(x.shape)
    return tf.gradients(backwards, factors, grad_ys=grad_xs)
