"""Programs that use tf.contrib.nn."""

import numpy as np

from tests.v1.contrib.values import numbers


def alpha_dropout(tf):
    x = tf.constant(numbers(50, 50))
    whole = tf.contrib.nn.alpha_dropout(x, 1.0)
    some = tf.contrib.nn.alpha_dropout(tf.zeros([50, 50]), tf.constant(0.8), noise_shape=[50, 1], seed=1)
    errors = []
    try:
        tf.contrib.nn.alpha_dropout(x, 1.5)
    except ValueError as error:
        errors.append(type(error))

    def run(sess):
        value = sess.run(some)
        return whole is x, sorted({round(float(each), 4) for each in value.ravel()}), errors

    return run


def scaled_softplus(tf):
    x = tf.get_variable("x", initializer=numbers(3, 4) * 5)
    alpha = tf.get_variable("alpha", initializer=np.float32([0.1, 0.5, 1.0, 2.0]))
    clip = tf.get_variable("clip", initializer=np.float32(1.5))
    scaled = tf.contrib.nn.scaled_softplus(x, alpha), tf.contrib.nn.scaled_softplus(x, alpha, clip)
    return [scaled, [each.shape for each in scaled]]


def deprecated_flipped_cross_entropies(tf):
    logits, labels = tf.constant(numbers(2, 3)), tf.constant([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    return [
        tf.contrib.nn.deprecated_flipped_softmax_cross_entropy_with_logits(logits, labels),
        tf.contrib.nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits(logits, tf.constant([1, 0])),
        tf.contrib.nn.deprecated_flipped_sigmoid_cross_entropy_with_logits(logits, labels),
    ]


def sampled_softmax_losses(tf):
    weights, biases = tf.get_variable("weights", [6, 4]), tf.get_variable("biases", [6])
    labels, inputs = tf.constant([[1], [4]], tf.int64), tf.constant(numbers(2, 4))
    sampled = (tf.constant([0, 2, 4], tf.int64), tf.constant([[0.5], [0.4]]), tf.constant([0.3, 0.2, 0.4]))
    losses = [
        tf.contrib.nn.sampled_sparse_softmax_loss(weights, biases, labels, inputs, 3, 6, sampled),
        tf.contrib.nn.rank_sampled_softmax_loss(weights, biases, labels, inputs, 3, 2, 6, 1, sampled, 0.5, True, "div"),
    ]
    for counts in ((7, 2, 6), (2, 3, 6)):  # num_sampled, num_resampled, num_classes
        try:
            tf.contrib.nn.rank_sampled_softmax_loss(weights, biases, labels, inputs, *counts, 1, (), 1, True, "div")
        except ValueError as error:
            losses.append(type(error))
    return losses
