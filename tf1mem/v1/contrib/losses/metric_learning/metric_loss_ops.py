# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Losses that bring embeddings of the same class close together (tf.contrib.losses.metric_learning)."""

from __future__ import annotations

from typing import Any, Sequence

import tf1mem.v1 as tf


def pairwise_distance(feature: Any, squared: bool = False) -> Any:
    """Returns the `[batch, batch]` distances between all rows; the diagonal is 0.

    Args:
        feature: `[batch, depth]` float32 tensor.
        squared: True for squared distances.
    """
    squares = tf.square(feature)
    sums = tf.reduce_sum(squares, axis=[1], keepdims=True)
    column_sums = tf.reduce_sum(tf.transpose(squares), axis=[0], keepdims=True)
    # Rounding can make values negative.
    distances = tf.maximum(sums + column_sums - 2.0 * tf.matmul(feature, tf.transpose(feature)), 0.0)
    same = tf.cast(distances <= 0.0, tf.float32)
    if not squared:
        # The square root has no finite derivative at 0.
        distances = tf.sqrt(distances + same * 1e-16)
    return distances * (1.0 - same) * (1.0 - tf.eye(tf.shape(feature)[0]))


def masked_maximum(data: Any, mask: Any, dim: int = 1) -> Any:
    """Returns the maximum, along an axis, of the elements with mask 1; where all have mask 0, the minimum of all.

    Args:
        data: `[n, m]` float tensor, or a float tensor of another rank.
        mask: 0 or 1, float tensor of the same shape.
        dim: The axis, which is kept with size 1.
    """
    smallest = tf.reduce_min(data, dim, keepdims=True)
    return tf.reduce_max((data - smallest) * mask, dim, keepdims=True) + smallest


def masked_minimum(data: Any, mask: Any, dim: int = 1) -> Any:
    """Returns the minimum, along an axis, of the elements with mask 1; where all have mask 0, the maximum of all.

    Args:
        data: `[n, m]` float tensor, or a float tensor of another rank.
        mask: 0 or 1, float tensor of the same shape.
        dim: The axis, which is kept with size 1.
    """
    largest = tf.reduce_max(data, dim, keepdims=True)
    return tf.reduce_min((data - largest) * mask, dim, keepdims=True) + largest


def _same_label(labels: Any) -> Any:
    """Returns a `[batch, batch]` bool tensor, True for pairs of examples with equal labels; `labels` is `[batch]`."""
    assert labels.shape.ndims == 1
    labels = tf.reshape(labels, [-1, 1])
    return tf.equal(labels, tf.transpose(labels))


def contrastive_loss(labels: Any, embeddings_anchor: Any, embeddings_positive: Any, margin: float = 1.0) -> Any:
    """Returns the contrastive loss, a scalar: similar pairs are pulled together, others pushed apart.

    Hadsell et al. 2006, "Dimensionality Reduction by Learning an Invariant Mapping".

    Args:
        labels: `[batch]` tensor: 1 for similar pairs, 0 for dissimilar ones.
        embeddings_anchor: `[batch, depth]` float tensor, the first of each pair.
        embeddings_positive: `[batch, depth]` float tensor, the second of each pair.
        margin: Distance beyond which dissimilar pairs cost nothing; 1.0 by default.
    """
    distances = tf.sqrt(tf.reduce_sum(tf.squared_difference(embeddings_anchor, embeddings_positive), 1))
    alike = tf.cast(labels, distances.dtype)
    shortfall = tf.maximum(margin - distances, 0.0)
    return tf.reduce_mean(alike * tf.square(distances) + (1.0 - alike) * tf.square(shortfall), name="contrastive_loss")


def triplet_semihard_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> Any:
    """Returns the triplet loss with semi-hard negatives, a scalar; Schroff et al. 2015 (FaceNet), arXiv:1503.03832.

    Args:
        labels: `[batch]` int tensor of classes.
        embeddings: `[batch, depth]` float tensor of unit vectors.
        margin: Least difference between an anchor's squared distances to a negative and to a positive at which the
            loss is 0; 1.0 by default.
    """
    same = _same_label(labels)
    distances = pairwise_distance(embeddings, squared=True)
    others = tf.logical_not(same)
    # Shape [anchor, positive, negative]: True for a negative that is farther from the anchor than the positive is.
    farther = tf.logical_and(others[:, None, :], distances[:, None, :] > distances[:, :, None])
    mask = tf.cast(farther, tf.float32)
    tiled_distances = tf.tile(distances[:, None, :], [1, tf.size(labels), 1])
    nearest_farther = masked_minimum(tiled_distances, mask, dim=2)[:, :, 0]
    farthest = masked_maximum(distances, tf.cast(others, tf.float32))
    negatives = tf.where(tf.reduce_any(farther, axis=2), nearest_farther, tf.tile(farthest, [1, tf.size(labels)]))
    positives = tf.cast(same, tf.float32) - tf.eye(tf.size(labels))
    shortfall = tf.maximum((margin + distances - negatives) * positives, 0.0)
    return tf.truediv(tf.reduce_sum(shortfall), tf.reduce_sum(positives), name="triplet_semihard_loss")


def _npairs(alike: Any, anchor: Any, positive: Any, reg_lambda: float, print_losses: bool) -> Any:
    """Returns the cross-entropy of the similarities of anchors and positives, plus a penalty of their squared lengths.

    Args:
        alike: `[batch, batch]` float32: above 0 where the labels of an anchor (row) and a positive (column) are alike.
        anchor: `[batch, depth]` float32 embeddings.
        positive: `[batch, depth]` float32 embeddings.
        reg_lambda: Weight of the penalty, which TensorFlow 1 multiplies by 0.25.
        print_losses: True to print both terms when they are computed.
    """
    lengths = [tf.reduce_mean(tf.reduce_sum(tf.square(each), 1)) for each in (anchor, positive)]
    penalty = tf.multiply(0.25 * reg_lambda, lengths[0] + lengths[1], name="l2loss")
    similar = tf.matmul(anchor, positive, transpose_b=True)
    probabilities = alike / tf.reduce_sum(alike, 1, keepdims=True)
    entropy = tf.nn.softmax_cross_entropy_with_logits(logits=similar, labels=probabilities)
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
    """Returns the N-pairs loss, a scalar.

    Sohn 2016, "Improved Deep Metric Learning with Multi-class N-pair Loss Objective".

    Args:
        labels: `[batch]` int tensor of the pairs' classes.
        embeddings_anchor: `[batch, depth]` float tensor, the first of each pair.
        embeddings_positive: `[batch, depth]` float tensor, the second of each pair.
        reg_lambda: Weight of the penalty of the embeddings' squared lengths; 0.002 by default.
        print_losses: True to print both terms when they are computed.
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
    """Returns the N-pairs loss, a scalar, of pairs with several labels; shared labels make pairs similar.

    Args:
        sparse_labels: List with one SparseTensor for each pair, of shape `[1, num_classes]`, with 1 for each label.
        embeddings_anchor: `[batch, depth]` float tensor, the first of each pair.
        embeddings_positive: `[batch, depth]` float tensor, the second of each pair.
        reg_lambda: Weight of the penalty of the embeddings' squared lengths; 0.002 by default.
        print_losses: True to print both terms when they are computed.

    Raises:
        TypeError: `sparse_labels` contains a value that isn't a SparseTensor.
    """
    if not all(isinstance(each, tf.SparseTensor) for each in sparse_labels):
        raise TypeError(f"sparse_labels must be a list of SparseTensors, but got {sparse_labels}")
    with tf.name_scope("NpairsLossMultiLabel"):
        shared = [
            [
                tf.cast(tf.sparse_reduce_sum(tf.sparse_minimum(row_labels, column_labels)), tf.float32)
                for column_labels in sparse_labels
            ]
            for row_labels in sparse_labels
        ]
        return _npairs(tf.stack(shared), embeddings_anchor, embeddings_positive, reg_lambda, print_losses)


def lifted_struct_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> Any:
    """Returns the lifted structured loss, a scalar; Song et al. 2015, arXiv:1511.06452.

    Args:
        labels: `[batch]` int tensor of classes.
        embeddings: `[batch, depth]` float tensor.
        margin: Distance that examples of other classes should have; the nearer they are, the more they cost; 1.0 by
            default.
    """
    same = _same_label(labels)
    distances = pairwise_distance(embeddings)
    others = tf.cast(tf.logical_not(same), tf.float32)
    shortfall = margin - distances
    # Log-sum-exp, with the maximum subtracted first for numerical stability.
    nearest = masked_maximum(shortfall, others)
    largest = tf.maximum(nearest, tf.transpose(nearest))
    sums = tf.reduce_sum(tf.exp(shortfall[None] - tf.transpose(largest)[:, :, None]) * others[None], 2)
    losses = largest + tf.log(sums + tf.transpose(sums)) + distances
    positives = tf.cast(same, tf.float32) - tf.eye(tf.size(labels))
    pairs = tf.reduce_sum(positives) / 2.0
    return tf.truediv(
        0.25 * tf.reduce_sum(tf.square(tf.maximum(losses * positives, 0.0))), pairs, name="liftedstruct_loss"
    )
