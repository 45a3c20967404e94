# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Losses (tf.contrib.losses): means over the elements whose weight isn't 0, added to the collection LOSSES.

Predictions precede labels here. The functions of the same names in tf.losses take labels first, and may divide the sum
by another number of elements.
"""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import add_arg_scope


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None) -> Any:
    """Returns the weighted sum of losses, divided by the number of losses whose weight isn't 0; adds it to LOSSES.

    Args:
        losses: `[batch, ...]` float tensor.
        weights: Factors of the losses: a scalar, or a tensor of shape `[batch]` or `[batch, ...]`. Losses with weight 0
          aren't counted.
        scope: Name scope.

    Returns:
        Scalar tensor of the dtype of `losses`.

    Raises:
        ValueError: A rank is unknown.
    """
    with tf.name_scope(scope, "weighted_loss", [losses, weights]):
        losses = tf.convert_to_tensor(losses)
        dtype = losses.dtype
        losses = tf.cast(losses, tf.float32)
        weights = tf.cast(tf.convert_to_tensor(weights), tf.float32)
        _check_ranks(losses=losses, weights=weights)
        if weights.shape.ndims > 1 and weights.shape.as_list()[-1] in (1, None):
            weights = tf.squeeze(weights, [-1])
        mean = tf.div_no_nan(_weighted_sum(losses, weights), tf.reduce_sum(_num_present(losses, weights)), name="value")
        mean = tf.cast(mean, dtype)
        add_loss(mean)
        return mean


def _check_ranks(**tensors: Any) -> None:
    """Raises a ValueError if the rank of one of the tensors is unknown."""
    for name, tensor in tensors.items():
        if tensor.shape.ndims is None:
            raise ValueError(f"{name}.get_shape().ndims cannot be None. Set the shape.")


def _weighted_sum(losses: Any, weights: Any) -> Any:
    """Returns the sum of all losses times weights (shape `[]`); the weights may lack the losses' last dimensions."""
    axes = list(range(weights.shape.ndims, losses.shape.ndims))
    return tf.reduce_sum(tf.multiply(tf.reduce_sum(losses, axis=axes), weights))


def _num_present(losses: Any, weights: Any) -> Any:
    """Returns, for each example, the number of losses whose weight isn't 0."""
    shape = tf.shape(losses)
    if weights.shape.ndims == 0:
        per_example = tf.cast(tf.size(losses), tf.float32) / tf.cast(shape[0], tf.float32)
        return tf.ones([shape[0]]) * tf.where(tf.equal(weights, 0), tf.zeros_like(per_example), per_example)
    is_present = tf.cast(tf.not_equal(weights, 0), tf.float32)
    present_weights = tf.reduce_sum(is_present, axis=list(range(1, weights.shape.ndims)))
    # tf.slice fails, as it should, if weights have a higher rank than losses.
    losses_per_weight = tf.reduce_prod(tf.slice(shape, [weights.shape.ndims], [-1]))
    return present_weights * tf.cast(losses_per_weight, tf.float32)


@add_arg_scope
def add_loss(loss: Any, loss_collection: str | None = tf.GraphKeys.LOSSES) -> None:
    """Adds a loss (shape `[]`) to a collection."""
    if loss_collection:
        tf.add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = tf.GraphKeys.LOSSES) -> list[Any]:
    """Returns the losses (shape `[]`) of a collection whose names start with a scope."""
    losses: list[Any] = tf.get_collection(loss_collection, scope)
    return losses


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Returns the losses (shape `[]`) of REGULARIZATION_LOSSES whose names start with a scope."""
    return get_losses(scope, tf.GraphKeys.REGULARIZATION_LOSSES)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss") -> Any:
    """Returns the sum of the losses in LOSSES, a scalar (shape `[]`).

    Args:
        add_regularization_losses: True to add those in REGULARIZATION_LOSSES, too.
        name: Name of the op.
    """
    return tf.add_n(get_losses() + (get_regularization_losses() if add_regularization_losses else []), name=name)


def _floats(predictions: Any, labels: Any) -> tuple[Any, Any]:
    """Returns predictions and labels as float32; raises a ValueError if their shapes differ."""
    predictions.shape.assert_is_compatible_with(labels.shape)
    return tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32)


def absolute_difference(predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None) -> Any:
    """Returns the mean absolute difference, a scalar; see `compute_weighted_loss`.

    Args:
        predictions: `[batch, ...]` tensor.
        labels: Tensor of the same shape.
        weights: Factors of the losses.
        scope: Name scope.
    """
    with tf.name_scope(scope, "absolute_difference", [predictions, labels, weights]) as inner:
        predictions, labels = _floats(predictions, labels)
        return compute_weighted_loss(tf.abs(predictions - labels), weights, scope=inner)


def mean_squared_error(predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None) -> Any:
    """Returns the mean squared difference, a scalar; see `compute_weighted_loss`.

    Args:
        predictions: `[batch, ...]` tensor.
        labels: Tensor of the same shape.
        weights: Factors of the losses.
        scope: Name scope.
    """
    with tf.name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as inner:
        predictions, labels = _floats(predictions, labels)
        return compute_weighted_loss(tf.squared_difference(predictions, labels), weights, scope=inner)


def log_loss(
    predictions: Any, labels: Any = None, weights: Any = 1.0, epsilon: float = 1e-7, scope: str | None = None
) -> Any:
    """Returns the mean log loss of probabilities, a scalar; see `compute_weighted_loss`.

    Args:
        predictions: `[batch, ...]` probabilities of label 1.
        labels: 0 or 1, a tensor of the same shape.
        weights: Factors of the losses.
        epsilon: Added to the argument of the logarithm; 1e-7 by default.
        scope: Name scope.
    """
    with tf.name_scope(scope, "log_loss", [predictions, labels, weights]) as inner:
        predictions, labels = _floats(predictions, labels)
        log_likelihood_1 = labels * tf.log(predictions + epsilon)
        log_likelihood_0 = (1 - labels) * tf.log(1 - predictions + epsilon)
        return compute_weighted_loss(-log_likelihood_1 - log_likelihood_0, weights, scope=inner)


def cosine_distance(
    predictions: Any,
    labels: Any = None,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    dim: int | None = None,
) -> Any:
    """Returns the mean of 1 minus the cosine between unit vectors, a scalar; see `compute_weighted_loss`.

    Args:
        predictions: `[batch, ...]` tensor of unit vectors.
        labels: Tensor of the same shape.
        axis: Axis of the vectors.
        weights: Factors of the losses.
        scope: Name scope.
        dim: Old name of `axis`.

    Raises:
        ValueError: Both or none of `axis` and `dim` are set.
    """
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'axis' and 'dim'. Leave 'dim', the old name, out.")
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with tf.name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as inner:
        predictions, labels = _floats(predictions, labels)
        losses = 1 - tf.reduce_sum(predictions * labels, axis=[axis])
        return compute_weighted_loss(losses, weights, scope=inner)


def hinge_loss(logits: Any, labels: Any = None, scope: str | None = None) -> Any:
    """Returns the hinge loss of each element, in the shape of `logits`; adds nothing to LOSSES.

    Args:
        logits: Float tensor of any shape.
        labels: 0 or 1, a tensor of the same shape.
        scope: Name scope.
    """
    with tf.name_scope(scope, "hinge_loss", [logits, labels]):
        logits.shape.assert_is_compatible_with(labels.shape)
        signs = 2 * tf.cast(labels, tf.float32) - 1
        return tf.nn.relu(1 - signs * logits)


def mean_pairwise_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """Returns the mean squared error of the differences between all pairs of an example's elements.

    The scalar is added to LOSSES.

    Args:
        predictions: `[batch, ...]` tensor.
        labels: Tensor of the same shape.
        weights: Factors of the examples: a scalar, or `[batch]`.
        scope: Name scope.

    Raises:
        ValueError: A rank is unknown.
    """
    with tf.name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        predictions, labels = _floats(predictions, labels)
        weights = tf.cast(tf.convert_to_tensor(weights), tf.float32)
        differences = predictions - labels
        _check_ranks(diffs=differences, weights=weights)
        axes = list(range(1, differences.shape.ndims))
        present = _num_present(differences, weights)
        squares = 2.0 * tf.div_no_nan(tf.reduce_sum(tf.square(differences), axis=axes), present)
        squared_sums = 2.0 * tf.div_no_nan(tf.square(tf.reduce_sum(differences, axis=axes)), tf.square(present))
        loss = _weighted_sum(squares - squared_sums, weights)
        mean = tf.where(tf.reduce_sum(present) > 0, loss, tf.zeros_like(loss), name="value")
        add_loss(mean)
        return mean


def sigmoid_cross_entropy(
    logits: Any, multi_class_labels: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: str | None = None
) -> Any:
    """Returns the mean cross-entropy of classes that aren't mutually exclusive, a scalar; see `compute_weighted_loss`.

    Args:
        logits: `[batch, num_classes]` float tensor.
        multi_class_labels: 0 or 1, a tensor of the same shape.
        weights: Factors of the losses.
        label_smoothing: Fraction by which labels are moved towards 0.5; 0 by default.
        scope: Name scope.
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
    """Returns the mean cross-entropy of mutually exclusive classes, a scalar; see `compute_weighted_loss`.

    Args:
        logits: `[batch, num_classes]` float tensor.
        onehot_labels: `[batch, num_classes]` one-hot labels.
        weights: Factors of the losses.
        label_smoothing: Fraction by which labels are moved towards `1 / num_classes`; 0 by default.
        scope: Name scope.
    """
    with tf.name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as inner:
        logits.shape.assert_is_compatible_with(onehot_labels.shape)
        labels = tf.cast(onehot_labels, logits.dtype)
        if label_smoothing > 0:
            num_classes = tf.cast(tf.shape(labels)[1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / num_classes
        losses = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=inner)


def sparse_softmax_cross_entropy(logits: Any, labels: Any, weights: Any = 1.0, scope: str | None = None) -> Any:
    """Returns the mean cross-entropy of mutually exclusive classes, a scalar; see `compute_weighted_loss`.

    Args:
        logits: `[batch, num_classes]` float tensor.
        labels: `[batch]` or `[batch, 1]` int tensor of classes.
        weights: Factors of the losses.
        scope: Name scope.
    """
    with tf.name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as inner:
        labels = tf.reshape(labels, shape=[tf.shape(labels)[0]])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=inner)
