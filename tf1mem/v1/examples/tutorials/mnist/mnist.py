# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/examples of TensorFlow 1.15.5, and changed: see NOTICE.

"""The MNIST tutorial's model: two hidden layers, for images as `[batch, 784]` pixels."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Any:
    """Returns the logits, `[batch, 10]` float32.

    Args:
        images: `[batch, 784]` float32 pixels.
        hidden1_units: Number of units of the first hidden layer.
        hidden2_units: Number of units of the second hidden layer.
    """
    hidden1 = tf.nn.relu(_linear("hidden1", images, IMAGE_PIXELS, hidden1_units))
    hidden2 = tf.nn.relu(_linear("hidden2", hidden1, hidden1_units, hidden2_units))
    return _linear("softmax_linear", hidden2, hidden2_units, NUM_CLASSES)


def _linear(scope: str, inputs: Any, size: int, units: int) -> Any:
    with tf.name_scope(scope):
        weights = tf.Variable(tf.truncated_normal([size, units], stddev=size**-0.5), name="weights")
        biases = tf.Variable(tf.zeros([units]), name="biases")
        return tf.matmul(inputs, weights) + biases


def loss(logits: Any, labels: Any) -> Any:
    """Returns the mean cross entropy, a scalar, of logits `[batch, 10]` and integer labels `[batch]`."""
    return tf.losses.sparse_softmax_cross_entropy(labels=tf.to_int64(labels), logits=logits)


def training(loss: Any, learning_rate: Any) -> Any:
    """Adds a summary of the loss, and returns an op that does one step of gradient descent.

    The op also increments a new variable, "global_step".
    """
    tf.summary.scalar("loss", loss)
    global_step = tf.Variable(0, name="global_step", trainable=False)
    return tf.train.GradientDescentOptimizer(learning_rate).minimize(loss, global_step=global_step)


def evaluation(logits: Any, labels: Any) -> Any:
    """Returns the number of correct predictions, int32: the examples whose label has the greatest logit.

    Args:
        logits: `[batch, 10]` float32.
        labels: Integers `[batch]`, 0 to 9.
    """
    return tf.reduce_sum(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.int32))
