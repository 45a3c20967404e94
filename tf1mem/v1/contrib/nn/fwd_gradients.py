# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Forward-mode derivatives, computed by two reverse-mode passes."""

from __future__ import annotations

from typing import Any, Sequence

import tf1mem.v1 as tf


def fwd_gradients(
    ys: Sequence[Any], xs: Sequence[Any], grad_xs: Sequence[Any] | None = None, assert_unused: bool = False
) -> Any:
    """Returns the directional derivatives of outputs, a list of tensors of the outputs' shapes.

    Args:
        ys: List of output tensors of any shape.
        xs: List of input tensors of any shape.
        grad_xs: List of directions, of the shapes of `xs`; ones by default.
        assert_unused: True to raise an error if the intermediate backward gradients are evaluated.
    """
    # A gradient is linear in grad_ys: its derivative by grad_ys is the forward derivative. The value of grad_ys doesn't
    # matter; it is NaN so that a result that depends on it stands out.
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
