# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Metrics of classification (tf.contrib.metrics)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops import metrics_impl

import tf1mem.v1 as tf

# Added to divisors that can be 0, and the distance of the first and the last threshold from 0 and 1.
_EPSILON = 1e-7


def accuracy(predictions: Any, labels: Any, weights: Any = None, name: str | None = None) -> Any:
    """Returns the fraction of predictions in a batch that equal the labels, a scalar.

    Args:
        predictions: Tensor of the labels' shape and dtype.
        labels: Int, bool or string tensor of any shape.
        weights: Weights that broadcast to the labels; None for equal weights.
        name: Name scope; "accuracy" by default.

    Raises:
        ValueError: A dtype is unsupported, or the dtypes differ.
    """
    if not (labels.dtype.is_integer or labels.dtype in (tf.bool, tf.string)):
        raise ValueError(f"Labels should have bool, integer, or string dtype, not {labels.dtype!r}")
    if not labels.dtype.is_compatible_with(predictions.dtype):
        raise ValueError(
            "predictions, labels: their dtypes differ. Cast one to the other's. "
            f"Given: predictions ({predictions.dtype!r}) and labels ({labels.dtype!r})"
        )
    with tf.name_scope(name, "accuracy", values=[predictions, labels]):
        correct = tf.cast(tf.equal(predictions, labels), tf.float32)
        if weights is None:
            return tf.reduce_mean(correct)
        return tf.reduce_sum(correct * weights) / tf.reduce_sum(weights * tf.ones_like(correct))


def f1_score(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Accumulates the maximum over thresholds of the F1 score, the harmonic mean of precision and recall.

    Args:
        labels: Bool tensor of any shape.
        predictions: Float tensor of the same shape, from 0 to 1.
        weights: Weights that broadcast to the labels; None for equal weights.
        num_thresholds: Number of thresholds; 200 by default.
        metrics_collections: Collections that the score is added to; None for none.
        updates_collections: Collections that the update op is added to; None for none.
        name: Variable scope; "f1" by default.

    Returns:
        The score so far, and the update op, which adds a batch and returns the new score, both float32 of shape `[]`.
    """
    with tf.variable_scope(name, "f1", (labels, predictions, weights)):
        predictions, labels, weights = metrics_impl._remove_squeezable_dimensions(predictions, labels, weights)
        between = [i / (num_thresholds - 1) for i in range(1, num_thresholds - 1)]
        thresholds = [0.0 - _EPSILON, *between, 1.0 + _EPSILON]
        counts = metrics_impl._confusion_matrix_at_thresholds(
            labels, predictions, thresholds, weights, includes=("tp", "fp", "fn")
        )

        def best_f1(counts_at: Any) -> Any:
            """Returns the maximum F1 score over the thresholds, of shape `[]`."""
            precision = counts_at["tp"] / (_EPSILON + counts_at["tp"] + counts_at["fp"])
            recall = counts_at["tp"] / (_EPSILON + counts_at["tp"] + counts_at["fn"])
            return tf.reduce_max(2.0 * precision * recall / (precision + recall + _EPSILON))

        value, update = map(best_f1, counts)
        if metrics_collections:
            tf.add_to_collections(metrics_collections, value)
        if updates_collections:
            tf.add_to_collections(updates_collections, update)
        return value, update
