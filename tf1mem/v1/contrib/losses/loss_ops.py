# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Losses, by tf.contrib.losses: their means over what has a weight, which are collected in LOSSES.

Predictions come before labels here. tf.losses has functions of the same names that take them the other way round, and
divide by other numbers.
"""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import add_arg_scope


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None) -> Any:
    """The mean of losses that have a weight, which is put into LOSSES.

    Args:
        losses: A tensor whose first dimension is the batch.
        weights: What losses are multiplied by: a number, or a tensor of losses' first dimensions. What is 0 isn't
            counted.
        scope: The name scope.

    Raises:
        ValueError: A rank isn't known.
    """
    with tf.name_scope(scope, "weighted_loss", [losses, weights]):
        losses = tf.convert_to_tensor(losses)
        dtype = losses.dtype
        losses = tf.cast(losses, tf.float32)
        weights = tf.cast(tf.convert_to_tensor(weights), tf.float32)
        _check_ranks(losses=losses, weights=weights)
        if weights.shape.ndims > 1 and weights.shape.as_list()[-1] in (1, None):
            weights = tf.squeeze(weights, [-1])
        mean = tf.div_no_nan(_weighted_sum(losses, weights), tf.reduce_sum(_present(losses, weights)), name="value")
        mean = tf.cast(mean, dtype)
        add_loss(mean)
        return mean


def _check_ranks(**tensors: Any) -> None:
    for name, tensor in tensors.items():
        if tensor.shape.ndims is None:
            raise ValueError(f"{name}.get_shape().ndims cannot be None")


def _weighted_sum(losses: Any, weights: Any) -> Any:
    inner = list(range(weights.shape.ndims, losses.shape.ndims))
    return tf.reduce_sum(tf.multiply(tf.reduce_sum(losses, axis=inner), weights))


def _present(losses: Any, weights: Any) -> Any:
    """How many of each example's losses have a weight that isn't 0."""
    shape = tf.shape(losses)
    if weights.shape.ndims == 0:
        each = tf.cast(tf.size(losses), tf.float32) / tf.cast(shape[0], tf.float32)
        return tf.ones([shape[0]]) * tf.where(tf.equal(weights, 0), tf.zeros_like(each), each)
    weighted = tf.cast(tf.not_equal(weights, 0), tf.float32)
    of_each = tf.reduce_sum(weighted, axis=list(range(1, weights.shape.ndims)))
    # tf.slice fails, as it ought to, where weights have more dimensions than losses.
    inner = tf.reduce_prod(tf.slice(shape, [weights.shape.ndims], [-1]))
    return of_each * tf.cast(inner, tf.float32)


@add_arg_scope
def add_loss(loss: Any, loss_collection: str | None = tf.GraphKeys.LOSSES) -> None:
    """Puts a loss into a collection."""
    if loss_collection:
        tf.add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = tf.GraphKeys.LOSSES) -> list[Any]:
    """The losses of a collection, whose names begin with a scope."""
    found: list[Any] = tf.get_collection(loss_collection, scope)
    return found


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The losses of REGULARIZATION_LOSSES, whose names begin with a scope."""
    return get_losses(scope, tf.GraphKeys.REGULARIZATION_LOSSES)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss") -> Any:
    """The sum of all losses.

    Args:
        add_regularization_losses: Whether those of REGULARIZATION_LOSSES are added.
        name: The op's name.
    """
    return tf.add_n(get_losses() + (get_regularization_losses() if add_regularization_losses else []), name=name)


def _floats(predictions: Any, labels: Any) -> tuple[Any, Any]:
    predictions.shape.assert_is_compatible_with(labels.shape)
    return tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32)


def absolute_difference(predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None) -> Any:
    """The mean of absolute differences; see `compute_weighted_loss`."""
    with tf.name_scope(scope, "absolute_difference", [predictions, labels, weights]) as inner:
        predictions, labels = _floats(predictions, labels)
        return compute_weighted_loss(tf.abs(predictions - labels), weights, scope=inner)


def mean_squared_error(predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None) -> Any:
    """The mean of squared differences; see `compute_weighted_loss`."""
    with tf.name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as inner:
        predictions, labels = _floats(predictions, labels)
        return compute_weighted_loss(tf.squared_difference(predictions, labels), weights, scope=inner)


def log_loss(
    predictions: Any, labels: Any = None, weights: Any = 1.0, epsilon: float = 1e-7, scope: str | None = None
) -> Any:
    """The mean of the logarithms of probabilities; see `compute_weighted_loss`.

    Args:
        epsilon: Added to what the logarithm is taken of.
    """
    with tf.name_scope(scope, "log_loss", [predictions, labels, weights]) as inner:
        predictions, labels = _floats(predictions, labels)
        of_ones = labels * tf.log(predictions + epsilon)
        of_zeros = (1 - labels) * tf.log(1 - predictions + epsilon)
        return compute_weighted_loss(-of_ones - of_zeros, weights, scope=inner)


def cosine_distance(
    predictions: Any,
    labels: Any = None,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    dim: int | None = None,
) -> Any:
    """The mean of 1 less the cosine between vectors of length 1; see `compute_weighted_loss`.

    Args:
        axis: The dimension of the vectors.
        dim: The same, as it was called before.

    Raises:
        ValueError: There is no axis, or two.
    """
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'axis' and 'dim'")
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with tf.name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as inner:
        predictions, labels = _floats(predictions, labels)
        losses = 1 - tf.reduce_sum(predictions * labels, axis=[axis])
        return compute_weighted_loss(losses, weights, scope=inner)


def hinge_loss(logits: Any, labels: Any = None, scope: str | None = None) -> Any:
    """How far each logit falls short of 1 on its label's side, 0 or 1; nothing is collected."""
    with tf.name_scope(scope, "hinge_loss", [logits, labels]):
        logits.shape.assert_is_compatible_with(labels.shape)
        sides = 2 * tf.cast(labels, tf.float32) - 1
        return tf.nn.relu(1 - sides * logits)


def mean_pairwise_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """The mean squared difference between differences of pairs within an example, which is put into LOSSES.

    Args:
        weights: What an example counts: a number, or one for each.

    Raises:
        ValueError: A rank isn't known.
    """
    with tf.name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        predictions, labels = _floats(predictions, labels)
        weights = tf.cast(tf.convert_to_tensor(weights), tf.float32)
        differences = predictions - labels
        _check_ranks(diffs=differences, weights=weights)
        inner = list(range(1, differences.shape.ndims))
        present = _present(differences, weights)
        of_squares = 2.0 * tf.div_no_nan(tf.reduce_sum(tf.square(differences), axis=inner), present)
        of_sums = 2.0 * tf.div_no_nan(tf.square(tf.reduce_sum(differences, axis=inner)), tf.square(present))
        loss = _weighted_sum(of_squares - of_sums, weights)
        mean = tf.where(tf.reduce_sum(present) > 0, loss, tf.zeros_like(loss), name="value")
        add_loss(mean)
        return mean


def sigmoid_cross_entropy(
    logits: Any, multi_class_labels: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: str | None = None
) -> Any:
    """The mean cross-entropy of classes that don't exclude each other; see `compute_weighted_loss`.

    Args:
        label_smoothing: How far labels are moved towards 0.5.
    """
    with tf.name_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]) as inner:
        logits.shape.assert_is_compatible_with(multi_class_labels.shape)
        labels = tf.cast(multi_class_labels, logits.dtype)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=inner)


def softmax_cross_entropy(
    logits: Any, onehot_labels: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: str | None = None
) -> Any:
    """The mean cross-entropy of one class of several; see `compute_weighted_loss`.

    Args:
        label_smoothing: How far labels are moved towards all classes being the same.
    """
    with tf.name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as inner:
        logits.shape.assert_is_compatible_with(onehot_labels.shape)
        labels = tf.cast(onehot_labels, logits.dtype)
        if label_smoothing > 0:
            classes = tf.cast(tf.shape(labels)[1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        losses = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=inner)


def sparse_softmax_cross_entropy(logits: Any, labels: Any, weights: Any = 1.0, scope: str | None = None) -> Any:
    """`softmax_cross_entropy` of labels that are numbers of classes."""
    with tf.name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as inner:
        labels = tf.reshape(labels, shape=[tf.shape(labels)[0]])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=inner)
