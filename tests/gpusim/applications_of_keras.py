"""Trains a net of Keras's applications for one step, and writes outputs, gradients and weights to a file.

    python applications_of_keras.py NAME SIZE FILE

test_values_exact.py runs it with TF_ENABLE_ONEDNN_OPTS=0, on a CPU and on a simulated GPU.
"""

from __future__ import annotations

import sys

import numpy as np
import tensorflow as tf

BATCH = 2


def main(name: str, size: int, file: str) -> None:
    """Trains a net for one step on pictures of `size` x `size` pixels, and writes its tensors to an .npz file."""
    tf.keras.utils.set_random_seed(1)
    net = getattr(tf.keras.applications, name)(weights=None, input_shape=(size, size, 3), classes=10)
    optimizer = tf.keras.optimizers.SGD(0.01)
    weights = net.trainable_variables

    @tf.function
    def step(pictures, classes):
        with tf.GradientTape() as tape:
            outputs = net(pictures, training=True)
            loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(classes, outputs))
        gradients = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(gradients, weights))
        return [outputs, *gradients]

    with tf.device("/cpu:0"):
        pictures = tf.constant(np.random.RandomState(0).rand(BATCH, size, size, 3).astype("f4"))
        classes = tf.range(BATCH)
    tensors = [tensor.numpy() for tensor in [*step(pictures, classes), *net.weights]]
    np.savez(file, **{f"tensor{i}": tensor for i, tensor in enumerate(tensors)})


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
