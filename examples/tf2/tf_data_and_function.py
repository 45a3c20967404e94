"""The settings hold for everything that TensorFlow 2 does: here tf.data feeds a training step in a tf.function."""

import os

import numpy as np
import tensorflow as tf

import tf1mem

tf1mem.apply(tf1mem.config(allow_growth=True, memory_fraction=0.5, threads=2))

IRIS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "iris.csv")

table = np.genfromtxt(IRIS, delimiter=",", skip_header=1, dtype=str)
x = table[:, :4].astype(np.float32)
x = (x - x.mean(axis=0)) / x.std(axis=0)
y = np.unique(table[:, 4], return_inverse=True)[1].astype(np.int32)
order = np.random.RandomState(0).permutation(len(x))
train, test = order[:120], order[120:]

dataset = tf.data.Dataset.from_tensor_slices((x[train], y[train])).shuffle(120, seed=0).repeat(60).batch(30)

w = tf.Variable(tf.zeros([4, 3]))
b = tf.Variable(tf.zeros([3]))


@tf.function
def train_step(features, labels):
    with tf.GradientTape() as tape:
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=features @ w + b)
        loss = tf.reduce_mean(losses)
    for variable, gradient in zip([w, b], tape.gradient(loss, [w, b])):
        variable.assign_sub(0.1 * gradient)
    return loss


for step, (features, labels) in enumerate(dataset, start=1):
    loss = train_step(features, labels)
    if step % 60 == 0:
        print(f"step {step:3d}  loss {loss.numpy():.4f}")

accuracy = np.mean(np.argmax(x[test] @ w.numpy() + b.numpy(), axis=1) == y[test])
print(f"test accuracy {accuracy:.3f}, trained on {loss.device}")
if not tf.config.list_physical_devices("GPU"):
    print("There is no GPU on this machine.")
print(tf1mem.report())
