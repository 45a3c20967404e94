# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Cross entropies that take logits before labels, as TensorFlow's own functions did before version 1.0."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def deprecated_flipped_softmax_cross_entropy_with_logits(
    logits: Any, labels: Any, dim: int = -1, name: str | None = None
) -> Any:
    """Returns the result of `tf.nn.softmax_cross_entropy_with_logits`, one loss per example.

    Args:
        logits: `[batch, num_classes]` float tensor.
        labels: `[batch, num_classes]` tensor of class probabilities.
        dim: Dimension of the classes; the last by default.
        name: Name of the op.

    Returns:
        `[batch]` tensor.
    """
    return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
    logits: Any, labels: Any, name: str | None = None
) -> Any:
    """Returns the result of `tf.nn.sparse_softmax_cross_entropy_with_logits`, one loss per example.

    Args:
        logits: `[batch, num_classes]` float tensor.
        labels: `[batch]` integer tensor of classes.
        name: Name of the op.

    Returns:
        `[batch]` tensor.
    """
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def deprecated_flipped_sigmoid_cross_entropy_with_logits(logits: Any, targets: Any, name: str | None = None) -> Any:
    """Returns the result of `tf.nn.sigmoid_cross_entropy_with_logits`, one loss per logit.

    Args:
        logits: Float tensor of any shape.
        targets: Tensor of labels from 0 to 1, of the shape of `logits`.
        name: Name of the op.

    Returns:
        Tensor of the shape of `logits`.
    """
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)
