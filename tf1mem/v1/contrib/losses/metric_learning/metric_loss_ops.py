# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Losses by which embeddings of the same class come near each other, by tf.contrib.losses.metric_learning."""

from __future__ import annotations

from typing import Any, Sequence

import tf1mem.v1 as tf


def pairwise_distance(feature: Any, squared: bool = False) -> Any:
    """The distance between each row and each other, with 0 on the diagonal.

    Args:
        feature: A matrix.
        squared: Whether it is the square that is wanted.
    """
    squares = tf.square(feature)
    sums = tf.reduce_sum(squares, axis=[1], keepdims=True)
    of_columns = tf.reduce_sum(tf.transpose(squares), axis=[0], keepdims=True)
    # Rounding may leave less than 0.
    distances = tf.maximum(sums + of_columns - 2.0 * tf.matmul(feature, tf.transpose(feature)), 0.0)
    same = tf.cast(distances <= 0.0, tf.float32)
    if not squared:
        # The root has no derivative at 0.
        distances = tf.sqrt(distances + same * 1e-16)
    return distances * (1.0 - same) * (1.0 - tf.eye(tf.shape(feature)[0]))


def masked_maximum(data: Any, mask: Any, dim: int = 1) -> Any:
    """The largest number along a dimension of those whose mask is 1; the smallest of all where none is."""
    least = tf.reduce_min(data, dim, keepdims=True)
    return tf.reduce_max((data - least) * mask, dim, keepdims=True) + least


def masked_minimum(data: Any, mask: Any, dim: int = 1) -> Any:
    """The smallest number along a dimension of those whose mask is 1; the largest of all where none is."""
    most = tf.reduce_max(data, dim, keepdims=True)
    return tf.reduce_min((data - most) * mask, dim, keepdims=True) + most


def _same_label(labels: Any) -> Any:
    """Whether two examples have the same label, for each pair."""
    assert labels.shape.ndims == 1
    labels = tf.reshape(labels, [-1, 1])
    return tf.equal(labels, tf.transpose(labels))


def contrastive_loss(labels: Any, embeddings_anchor: Any, embeddings_positive: Any, margin: float = 1.0) -> Any:
    """The mean, over pairs, of the squared distance of those that are alike, and of what others lack of a margin.

    Args:
        labels: For each pair 1 if it is alike, else 0.
        embeddings_anchor: The first of each pair.
        embeddings_positive: The second.
        margin: How far others ought to be from each other.
    """
    distances = tf.sqrt(tf.reduce_sum(tf.squared_difference(embeddings_anchor, embeddings_positive), 1))
    alike = tf.cast(labels, distances.dtype)
    lacking = tf.maximum(margin - distances, 0.0)
    return tf.reduce_mean(alike * tf.square(distances) + (1.0 - alike) * tf.square(lacking), name="contrastive_loss")


def triplet_semihard_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> Any:
    """The mean, over pairs of one class, of what the nearest of another class that is farther lacks of a margin.

    Args:
        labels: An integer for each example.
        embeddings: Vectors of length 1.
        margin: By how much farther than its pair another class ought to be, in squares.
    """
    same = _same_label(labels)
    distances = pairwise_distance(embeddings, squared=True)
    others = tf.logical_not(same)
    # [anchor, positive, negative]
    farther = tf.logical_and(others[:, None, :], distances[:, None, :] > distances[:, :, None])
    mask = tf.cast(farther, tf.float32)
    whole = tf.tile(distances[:, None, :], [1, tf.size(labels), 1])
    nearest_farther = masked_minimum(whole, mask, dim=2)[:, :, 0]
    farthest = masked_maximum(distances, tf.cast(others, tf.float32))
    negatives = tf.where(tf.reduce_any(farther, axis=2), nearest_farther, tf.tile(farthest, [1, tf.size(labels)]))
    positives = tf.cast(same, tf.float32) - tf.eye(tf.size(labels))
    lacking = tf.maximum((margin + distances - negatives) * positives, 0.0)
    return tf.truediv(tf.reduce_sum(lacking), tf.reduce_sum(positives), name="triplet_semihard_loss")


def _npairs(alike: Any, anchor: Any, positive: Any, reg_lambda: float, print_losses: bool) -> Any:
    """The cross-entropy of each anchor's similarity with all positives, and a penalty for length."""
    lengths = [tf.reduce_mean(tf.reduce_sum(tf.square(each), 1)) for each in (anchor, positive)]
    penalty = tf.multiply(0.25 * reg_lambda, lengths[0] + lengths[1], name="l2loss")
    similar = tf.matmul(anchor, positive, transpose_b=True)
    chances = alike / tf.reduce_sum(alike, 1, keepdims=True)
    entropy = tf.nn.softmax_cross_entropy_with_logits(logits=similar, labels=chances)
    entropy = tf.reduce_mean(entropy, name="xentropy")
    if print_losses:
        entropy = tf.Print(entropy, ["cross entropy:", entropy, "l2loss:", penalty])
    return penalty + entropy


def npairs_loss(
    labels: Any,
    embeddings_anchor: Any,
    embeddings_positive: Any,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Any:
    """The cross-entropy by which an anchor is nearest to the positives of its class.

    Args:
        labels: An integer for each pair.
        embeddings_anchor: The anchors.
        embeddings_positive: The positives.
        reg_lambda: How much the length of embeddings counts.
        print_losses: Whether both parts are printed when they are computed.
    """
    alike = tf.cast(_same_label(labels), tf.float32)
    return _npairs(alike, embeddings_anchor, embeddings_positive, reg_lambda, print_losses)


def npairs_loss_multilabel(
    sparse_labels: Sequence[Any],
    embeddings_anchor: Any,
    embeddings_positive: Any,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Any:
    """`npairs_loss` of pairs that have several labels, which are alike by how many they share.

    Args:
        sparse_labels: For each pair a SparseTensor with 1 for each label.

    Raises:
        TypeError: They are no SparseTensors.
    """
    if not all(isinstance(each, tf.SparseTensor) for each in sparse_labels):
        raise TypeError(f"sparse_labels must be a list of SparseTensors, but got {sparse_labels}")
    with tf.name_scope("NpairsLossMultiLabel"):
        shared = [
            [tf.cast(tf.sparse_reduce_sum(tf.sparse_minimum(one, other)), tf.float32) for other in sparse_labels]
            for one in sparse_labels
        ]
        return _npairs(tf.stack(shared), embeddings_anchor, embeddings_positive, reg_lambda, print_losses)


def lifted_struct_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> Any:
    """The mean, over pairs of one class, of their distance and of how near any other class is to either.

    Args:
        labels: An integer for each example.
        embeddings: Vectors.
        margin: How far other classes ought to be.
    """
    same = _same_label(labels)
    distances = pairwise_distance(embeddings)
    others = tf.cast(tf.logical_not(same), tf.float32)
    lacking = margin - distances
    # The logarithm of a sum of exponentials, of which the largest is taken out.
    nearest = masked_maximum(lacking, others)
    largest = tf.maximum(nearest, tf.transpose(nearest))
    sums = tf.reduce_sum(tf.exp(lacking[None] - tf.transpose(largest)[:, :, None]) * others[None], 2)
    losses = largest + tf.log(sums + tf.transpose(sums)) + distances
    positives = tf.cast(same, tf.float32) - tf.eye(tf.size(labels))
    pairs = tf.reduce_sum(positives) / 2.0
    return tf.truediv(
        0.25 * tf.reduce_sum(tf.square(tf.maximum(losses * positives, 0.0))), pairs, name="liftedstruct_loss"
    )
