"""Compares a training step of small convolutional nets on a simulated GPU and on the CPU, in one process.

Usage: tf1mem sim --gpu 8GiB --values -- python benchmarks/training_step.py [--rounds N]

The two devices take turns, five steps each, with one inter-op and one intra-op thread. CPU seconds are measured, so
that other work on the machine affects both alike. benchmarks/README.md has figures.
"""

from __future__ import annotations

import argparse
import os
import time
from statistics import median
from typing import Any, Callable

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
STEPS = 5


def plain(device: str) -> tuple[Any, Any]:
    """Returns the train op and the loss of a net with two convolutions without biases and a max pooling."""
    return _net(device, biases=False, norm=False)


def with_biases(device: str) -> tuple[Any, Any]:
    """Returns the train op and the loss of the net of `plain` with biases."""
    return _net(device, biases=True, norm=False)


def with_norm(device: str) -> tuple[Any, Any]:
    """Returns the train op and the loss of the net of `plain` with biases and batch norm."""
    return _net(device, biases=True, norm=True)


def _net(device: str, biases: bool, norm: bool) -> tuple[Any, Any]:
    random = np.random.RandomState(0)

    def variable(*shape: int) -> Any:
        return tf1.Variable((random.randn(*shape) * 0.05).astype("f4"))

    def convolved(x: Any, depth: int, stride: int) -> Any:
        y = tf1.nn.conv2d(x, variable(3, 3, int(x.shape[-1]), depth), [1, stride, stride, 1], "SAME")
        y = tf.nn.bias_add(y, variable(depth)) if biases else y
        y = tf1.nn.fused_batch_norm(y, 1 + variable(depth), variable(depth))[0] if norm else y
        return tf.nn.relu(y)

    with tf.device(device):
        images = tf.constant(random.rand(64, 28, 28, 1).astype("f4"))
        h = convolved(convolved(images, 32, 1), 64, 2)
        h = tf1.nn.max_pool2d(h, 2, 2, "SAME")
        logits = tf.reshape(h, [64, -1]) @ variable(3136, 10)
        labels = tf.constant(random.randint(0, 10, 64))
        loss = tf.reduce_mean(tf1.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        return tf1.train.AdamOptimizer(1e-3).minimize(loss), loss


def measured(net: Callable[[str], tuple[Any, Any]], rounds: int) -> tuple[list[float], list[float], list[float]]:
    """Returns the CPU seconds of a step in each round, on the CPU and on the GPU, and the two losses at the end."""
    config = tf1.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1)
    config.gpu_options.allow_growth = True
    sessions, seconds = [], ([], [])  # type: tuple[list[Any], tuple[list[float], list[float]]]
    for device in ("/cpu:0", "/gpu:0"):
        with tf.Graph().as_default() as graph:
            step, loss = net(device)
            begin = tf1.global_variables_initializer()
            session = tf1.Session(graph=graph, config=config)
            session.run(begin)
            sessions.append((session, step, loss))
    for number in range(rounds + 1):
        for kept, (session, step, _) in zip(seconds, sessions):
            start = time.process_time()
            for _ in range(STEPS):
                session.run(step)
            if number:  # the first round isn't counted: it creates kernels
                kept.append((time.process_time() - start) / STEPS)
    return (*seconds, [float(session.run(loss)) for session, _, loss in sessions])


def main() -> None:
    """Prints a line for each net."""
    parser = argparse.ArgumentParser(prog="training_step.py", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20, help="rounds of five steps on each device (default: 20)")
    rounds = parser.parse_args().rounds
    tf1.disable_eager_execution()
    for net in (plain, with_biases, with_norm):
        on_cpu, on_gpu, losses = measured(net, rounds)
        ratios = sorted(gpu / cpu for cpu, gpu in zip(on_cpu, on_gpu))
        print(
            f"{net.__name__:12} CPU {1000 * median(on_cpu):6.1f} ms  simulated GPU {1000 * median(on_gpu):6.1f} ms  "
            f"ratio {ratios[0]:.2f} to {ratios[-1]:.2f}, median {median(ratios):.2f}  "
            f"losses {losses[0]:.6f} {losses[1]:.6f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
