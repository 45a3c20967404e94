# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Area under the ROC curve by histograms (tf.contrib.metrics)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.tensor_util import remove_squeezable_dimensions


def auc_using_histogram(
    boolean_labels: Any,
    scores: Any,
    score_range: Any,
    nbins: int = 100,
    collections: Any = None,
    check_shape: bool = True,
    name: str | None = None,
) -> Any:
    """Accumulates the area under the ROC curve from histograms of the scores.

    Args:
        boolean_labels: `[batch]` bool tensor.
        scores: `[batch]` number tensor.
        score_range: Minimum and maximum of the scores, of shape `[2]`.
        nbins: Number of bins of equal width; 100 by default.
        collections: Collections of the counts; LOCAL_VARIABLES by default.
        check_shape: True to check at run time that labels and scores are of rank 1.
        name: Variable scope.

    Returns:
        The area, a float32 of shape `[]`, and the update op.

    Raises:
        ValueError: The labels aren't bools.
    """
    with tf.variable_scope(name, "auc_using_histogram", [boolean_labels, scores, score_range]):
        scores, labels = remove_squeezable_dimensions(scores, boolean_labels)
        if labels.dtype != tf.bool:
            raise ValueError(f"boolean_labels: their dtype is {labels.dtype}. Give bools.")
        checks = []
        if check_shape:
            for argument, tensor in (("boolean_labels", labels), ("scores", scores)):
                message = f"Argument {argument} should have rank 1.  Found: "
                checks.append(tf.Assert(tf.equal(1, tf.rank(tensor)), [message, tensor.name, tf.shape(tensor)]))
        with tf.control_dependencies(checks):
            scores, labels = tf.identity(scores), tf.identity(labels)
        counts, updates = {}, []
        with tf.variable_scope(None, "hist_accumulate", [scores, labels]):
            for kind, chosen in (("true", labels), ("false", tf.logical_not(labels))):
                bins = tf.histogram_fixed_width(
                    tf.boolean_mask(scores, chosen), score_range, nbins=nbins, dtype=tf.int64, name=f"hist_{kind}"
                )
                counts[kind] = tf.get_variable(
                    f"hist_{kind}_acc",
                    shape=[nbins],
                    dtype=tf.int64,
                    initializer=tf.zeros_initializer(),
                    collections=[tf.GraphKeys.LOCAL_VARIABLES] if collections is None else collections,
                    trainable=False,
                )
                updates.append(counts[kind].assign_add(bins))
            update = tf.group(*updates, name="update_op")
        # From high scores to low ones, true labels move the curve up, false labels to the right.
        up, right = (
            tf.cast(tf.reverse(tf.truediv(each, tf.reduce_sum(each)), [0]), tf.float32)
            for each in (counts["true"], counts["false"])
        )
        height = tf.cumsum(up)
        return tf.reduce_sum(right * (height - up / 2.0), name="auc"), update
