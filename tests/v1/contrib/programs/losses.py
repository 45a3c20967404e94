"""Programs that use tf.contrib.losses."""

import numpy as np

from tests.v1.contrib.raising import results_of
from tests.v1.contrib.values import numbers


def weighted_losses(tf):
    shape = (3, 4)
    predictions, labels = tf.constant(numbers(*shape)), tf.constant(numbers(*shape, seed=1))
    chances, truths = tf.sigmoid(predictions), tf.constant((numbers(*shape, seed=2) > 0).astype(np.float32))
    losses = []
    for weights in (1.0, 0.0, tf.constant([1.0, 0.0, 2.0]), tf.constant([[1.0], [0.5], [0.0]]), truths):
        losses += [
            tf.contrib.losses.absolute_difference(predictions, labels, weights),
            tf.contrib.losses.mean_squared_error(predictions, labels, weights, scope="mine"),
            tf.contrib.losses.log_loss(chances, truths, weights),
            tf.contrib.losses.sigmoid_cross_entropy(predictions, truths, weights),
            tf.contrib.losses.compute_weighted_loss(predictions, weights),
        ]
    return losses


def losses_by_example(tf):
    predictions, labels = tf.constant(numbers(3, 4)), tf.constant(numbers(3, 4, seed=1))
    one_hot, classes = tf.one_hot([1, 3, 0], 4), tf.constant([1, 3, 0])
    losses = []
    for weights in (1.0, 0.0, tf.constant([1.0, 0.0, 2.0])):
        losses += [
            tf.contrib.losses.softmax_cross_entropy(predictions, one_hot, weights),
            tf.contrib.losses.softmax_cross_entropy(predictions, one_hot, weights, label_smoothing=0.1),
            tf.contrib.losses.sparse_softmax_cross_entropy(predictions, classes, weights),
            tf.contrib.losses.cosine_distance(predictions, labels, axis=1, weights=weights),
            tf.contrib.losses.mean_pairwise_squared_error(predictions, labels, weights),
        ]
    losses += [
        tf.contrib.losses.sigmoid_cross_entropy(predictions, one_hot, label_smoothing=0.2),
        tf.contrib.losses.cosine_distance(predictions, labels, dim=0),
        tf.contrib.losses.hinge_loss(predictions, one_hot),
        tf.contrib.losses.mean_pairwise_squared_error(predictions, labels, [[1.0], [0.0], [2.0]]),
    ]
    return losses + results_of(
        lambda: tf.contrib.losses.cosine_distance(predictions, labels),
        lambda: tf.contrib.losses.mean_squared_error(predictions, tf.zeros([2, 2])),
        lambda: tf.contrib.losses.compute_weighted_loss(tf.placeholder(tf.float32)),
    )


def losses_collected(tf):
    first = tf.contrib.losses.mean_squared_error(tf.constant([1.0]), tf.constant([3.0]), scope="first")
    tf.contrib.losses.add_loss(tf.constant(2.0, name="second"))
    with tf.contrib.framework.arg_scope([tf.contrib.losses.add_loss], loss_collection="mine"):
        tf.contrib.losses.add_loss(tf.constant(5.0))
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(0.5))
    return [
        first,
        tf.contrib.losses.get_losses(),
        tf.contrib.losses.get_losses("first"),
        tf.contrib.losses.get_losses(loss_collection="mine"),
        tf.contrib.losses.get_regularization_losses(),
        tf.contrib.losses.get_total_loss(),
        tf.contrib.losses.get_total_loss(add_regularization_losses=False, name="total"),
    ]


def metric_learning_losses(tf):
    labels = tf.constant([0, 1, 1, 0, 2, 1])
    embeddings = tf.nn.l2_normalize(tf.get_variable("embeddings", initializer=numbers(6, 4)), 1)
    others = tf.nn.l2_normalize(tf.get_variable("others", initializer=numbers(6, 4, seed=1)), 1)
    several = [tf.SparseTensor([[each % 3], [3]], [1, 1], [4]) for each in range(6)]
    metric = tf.contrib.losses.metric_learning
    return [
        tf.contrib.losses.metric_learning.triplet_semihard_loss(labels, embeddings),
        metric.triplet_semihard_loss(labels, embeddings, margin=0.2),
        tf.contrib.losses.metric_learning.lifted_struct_loss(labels, embeddings),
        tf.contrib.losses.metric_learning.npairs_loss(labels, embeddings, others),
        tf.contrib.losses.metric_learning.npairs_loss_multilabel(several, embeddings, others, reg_lambda=0.1),
        tf.contrib.losses.metric_learning.contrastive_loss(tf.constant([1, 0, 0, 1, 0, 1]), embeddings, others),
    ]
