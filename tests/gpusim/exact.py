"""Computes the gradients of a small net in a tf.function on a CPU and a GPU, and prints which tensors differ."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

tf.compat.v1.enable_eager_execution()  # for TensorFlow 1

rng = np.random.RandomState(0)
x, kernel = rng.rand(4, 5, 5, 3).astype("f4"), rng.rand(1, 1, 3, 8).astype("f4")
scale, offset, bias = (rng.rand(8).astype("f4") for _ in range(3))


def step(*inputs):
    x, kernel, scale, offset, bias = inputs
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = tf.nn.bias_add(tf.nn.conv2d(x, kernel, 1, "SAME"), bias)
        mean, variance = tf.nn.moments(y, [0, 1, 2], keepdims=True)  # the gradient of y is the sum of three
        y = tf.nn.relu(tf.nn.batch_normalization(y, mean, variance, offset, scale, 1e-3))
        means = tf.reduce_mean(y, [1, 2])
        loss = tf.reduce_sum(tf.sin(7.0 * means))
    return [means, loss, mean, variance, *tape.gradient(loss, inputs)]


def on(device):
    with tf.device(device):
        return [tensor.numpy() for tensor in tf.function(step)(*map(tf.constant, (x, kernel, scale, offset, bias)))]


names = ["means", "loss", "mean", "variance", "by x", "by kernel", "by scale", "by offset", "by bias"]
for name, cpu, gpu in zip(names, on("/cpu:0"), on("/gpu:0")):
    print(name, "" if cpu.tobytes() == gpu.tobytes() else f"differs by {np.abs(cpu - gpu).max()}")
