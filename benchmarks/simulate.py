"""A program on simulated GPUs (`tf1mem sim`), against the same program on the CPU."""

from __future__ import annotations

import sys
from pathlib import Path

from pairs import Case, ratio

A_FEW_OPS = """\
import tensorflow as tf

numbers = tf.constant([[1.0, 2.0], [3.0, 4.0]])
product = tf.matmul(numbers, numbers)
print(tf.reduce_sum(product + numbers).device, numbers.numpy())
"""

WITHOUT_GPUS = """\
import os

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
"""


TRAINING = """\
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()
random = np.random.RandomState(0)


def variable(name, *shape):
    return tf1.get_variable(name, initializer=(random.randn(*shape) * 0.05).astype("f4"))


images = tf.constant(random.rand(64, 28, 28, 1).astype("f4"))
h = tf.nn.relu(tf1.nn.conv2d(images, variable("first", 3, 3, 1, 32), [1, 1, 1, 1], "SAME"))
h = tf.nn.relu(tf1.nn.conv2d(h, variable("second", 3, 3, 32, 64), [1, 2, 2, 1], "SAME"))
h = tf1.nn.max_pool2d(h, 2, 2, "SAME")
logits = tf.reshape(h, [64, -1]) @ variable("last", 3136, 10)
labels = tf.constant(random.randint(0, 10, 64))
loss = tf.reduce_mean(tf1.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
step = tf1.train.AdamOptimizer(1e-3).minimize(loss)
with tf1.Session() as sess:
    sess.run(tf1.global_variables_initializer())
    for _ in range(400):
        sess.run(step)
    print(sess.run(loss))
"""


def training(folder: Path) -> Case:
    """The case of 400 steps of a small convolutional net, whose values are computed."""
    simulated, on_cpu = folder / "trained_simulated.py", folder / "trained_on_cpu.py"
    simulated.write_text(TRAINING, encoding="utf-8")
    on_cpu.write_text(WITHOUT_GPUS + TRAINING, encoding="utf-8")
    return Case(
        name="tf1mem sim --values, 400 training steps, against the CPU",
        base=[sys.executable, str(on_cpu)],
        ours=[sys.executable, "-m", "tf1mem", "sim", "--gpu", "8GiB", "--values", "--", sys.executable, str(simulated)],
        target=1.5,
        compare=ratio,
        unit="",
        pairs=5,
    )


def case(folder: Path) -> Case:
    """The case, with the programs written to a folder. The simulator is compiled by the pair that doesn't count."""
    simulated, on_cpu = folder / "simulated.py", folder / "on_cpu.py"
    simulated.write_text(A_FEW_OPS, encoding="utf-8")
    on_cpu.write_text(WITHOUT_GPUS + A_FEW_OPS, encoding="utf-8")
    return Case(
        name="tf1mem sim -- python, against the CPU only",
        base=[sys.executable, str(on_cpu)],
        ours=[sys.executable, "-m", "tf1mem", "sim", "--gpu", "8GiB", "--", sys.executable, str(simulated)],
        target=1.2,
        compare=ratio,
        unit="",
        pairs=7,
    )
