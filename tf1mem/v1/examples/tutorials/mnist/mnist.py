# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/examples of TensorFlow 1.15.5, and changed: see NOTICE.

"""The tutorial's model: two hidden layers, for images of MNIST as rows of 784 pixels."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Any:
    """The logits of images.

    Args:
        images: Rows of pixels.
        hidden1_units: Units of the first hidden layer.
        hidden2_units: Units of the second.
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
    """The mean cross entropy of logits and integer labels."""
    return tf.losses.sparse_softmax_cross_entropy(labels=tf.to_int64(labels), logits=logits)


def training(loss: Any, learning_rate: Any) -> Any:
    """A step of gradient descent, which counts itself in a variable "global_step"; the loss gets a summary."""
    tf.summary.scalar("loss", loss)
    global_step = tf.Variable(0, name="global_step", trainable=False)
    return tf.train.GradientDescentOptimizer(learning_rate).minimize(loss, global_step=global_step)


def evaluation(logits: Any, labels: Any) -> Any:
    """How many labels, int32, have the greatest logit of their row."""
    return tf.reduce_sum(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.int32))
