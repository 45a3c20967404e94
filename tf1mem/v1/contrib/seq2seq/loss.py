# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Cross-entropy loss of sequences."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the weighted cross-entropy of sequences.

    Args:
        logits: `[batch, time, classes]` float tensor.
        targets: Classes, `[batch, time]` integers.
        weights: Weight of each target, `[batch, time]` floats.
        average_across_timesteps: True to sum over time and divide by the sum of the weights.
        average_across_batch: True to sum over the batch and divide by the sum of the weights.
        sum_over_timesteps: True to sum over time and divide by the number of weights that aren't 0.
        sum_over_batch: True to sum over the batch and divide by the number of weights that aren't 0.
        softmax_loss_function: Function of `labels`, `[batch * time]`, and `logits`, `[batch * time, classes]`, which
            returns `[batch * time]` losses; None for the sparse softmax cross-entropy.
        name: Name scope of the ops.

    Returns:
        A scalar if both dimensions are averaged, or both are summed; `[batch, time]` if neither is averaged or summed;
        else `[batch]` or `[time]`. As in TensorFlow 1, if one is averaged, the sum over the other is left out.

    Raises:
        ValueError: A tensor has another rank, or one dimension is both averaged and summed.
    """
    for argument, value, expected in (
        ("Logits", logits, "[batch_size x sequence_length x logits]"),
        ("Targets", targets, "[batch_size x sequence_length]"),
        ("Weights", weights, "[batch_size x sequence_length]"),
    ):
        if len(value.get_shape()) != expected.count(" x ") + 1:
            raise ValueError(f"{argument} must be a {expected} tensor")
    for dimension, average, total in (
        ("timesteps", average_across_timesteps, sum_over_timesteps),
        ("batch", average_across_batch, sum_over_batch),
    ):
        if average and total:
            raise ValueError(f"average_across_{dimension} and sum_over_{dimension} cannot be set to True at same time.")
    with tf.name_scope(name, "sequence_loss", [logits, targets, weights]):
        classes = tf.shape(logits)[2]
        flat = tf.reshape(logits, [-1, classes])
        labels = tf.reshape(targets, [-1])
        cross_entropy = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
        losses = cross_entropy(labels=labels, logits=flat) * tf.reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            return tf.div_no_nan(tf.reduce_sum(losses), tf.reduce_sum(weights))
        if sum_over_timesteps and sum_over_batch:
            total = tf.reduce_sum(losses)
            return tf.div_no_nan(total, tf.cast(tf.count_nonzero(weights), total.dtype))
        losses = tf.reshape(losses, tf.shape(logits)[0:2])
        if average_across_timesteps or average_across_batch:
            axis = [0] if average_across_batch else [1]
            return tf.div_no_nan(tf.reduce_sum(losses, axis=axis), tf.reduce_sum(weights, axis=axis))
        if sum_over_timesteps or sum_over_batch:
            axis = [0] if sum_over_batch else [1]
            total = tf.reduce_sum(losses, axis=axis)
            return tf.div_no_nan(total, tf.cast(tf.count_nonzero(weights, axis=axis), total.dtype))
        return losses


class SequenceLoss(tf.keras.losses.Loss):  # type: ignore[misc]
    """Keras loss that computes `sequence_loss`; `sample_weight` is required: the weights, `[batch, time]` floats.

    Args:
        average_across_timesteps: True to sum over time and divide by the sum of the weights.
        average_across_batch: True to sum over the batch and divide by the sum of the weights.
        sum_over_timesteps: True to sum over time and divide by the number of weights that aren't 0.
        sum_over_batch: True to sum over the batch and divide by the number of weights that aren't 0.
        softmax_loss_function: Function of `labels`, `[batch * time]`, and `logits`, `[batch * time, classes]`, which
            returns `[batch * time]` losses; None for the sparse softmax cross-entropy.
        name: Name of the loss, and name scope of its ops.
    """

    def __init__(
        self,
        average_across_timesteps: bool = False,
        average_across_batch: bool = False,
        sum_over_timesteps: bool = True,
        sum_over_batch: bool = True,
        softmax_loss_function: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name=name)
        self.average_across_timesteps = average_across_timesteps
        self.average_across_batch = average_across_batch
        self.sum_over_timesteps = sum_over_timesteps
        self.sum_over_batch = sum_over_batch
        self.softmax_loss_function = softmax_loss_function

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        return sequence_loss(
            y_pred,
            y_true,
            sample_weight,
            average_across_timesteps=self.average_across_timesteps,
            average_across_batch=self.average_across_batch,
            sum_over_timesteps=self.sum_over_timesteps,
            sum_over_batch=self.sum_over_batch,
            softmax_loss_function=self.softmax_loss_function,
            name=self.name,
        )

    def call(self, y_true: Any, y_pred: Any) -> None:
        """Does nothing; `__call__` computes the loss, because Keras would reduce `[batch, time]` losses otherwise."""
