"""Measures the cost of recording a program, as `tf1mem verify` does on each side.

    python benchmarks/verify.py [--python PATH] [--pairs N] [NAME …]

Each program runs in turn as it is and recorded, with the same environment variables and threads. README.md explains the
table.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tf1mem.machine import child
from tf1mem.verifying.recording.job import Job
from tf1mem.verifying.sides import SETTLED

_START = """\
import numpy as np
import tensorflow as tf
if hasattr(tf, "compat") and not hasattr(tf, "Session"):
    tf = tf.compat.v1
    tf.disable_v2_behavior()
tf.set_random_seed(7)
rng = np.random.RandomState(0)
"""
_LOOP = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range({steps}):
        sess.run([train, loss], feeds(step))
"""
_CONVOLUTIONS = """\
x = tf.placeholder(tf.float32, [None, 32, 32, 3])
h = x
for number in range(3):
    kernel = tf.get_variable("k%d" % number, [3, 3, 32 if number else 3, 32])
    h = tf.nn.conv2d(h, kernel, [1, 1, 1, 1], "SAME")
    mean, variance = tf.nn.moments(h, [0, 1, 2])
    h = tf.nn.relu(tf.nn.batch_normalization(h, mean, variance, None, None, 1e-3))
loss = tf.reduce_mean(tf.square(tf.reduce_mean(h, [1, 2]) - 1.0))
train = tf.train.AdamOptimizer(0.01).minimize(loss)
def feeds(step):
    return {x: rng.rand(32, 32, 32, 3)}
"""
_LSTM = """\
x = tf.placeholder(tf.float32, [64, 40, 32])
w = tf.get_variable("w", [32 + 128, 4 * 128])
def step_of(t, h, c):
    i, j, f, o = tf.split(tf.matmul(tf.concat([x[:, t], h], 1), w), 4, 1)
    c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
    return t + 1, tf.tanh(c) * tf.sigmoid(o), c
zeros = tf.zeros([64, 128])
_, h, _ = tf.while_loop(lambda t, h, c: t < 40, step_of, (0, zeros, zeros))
loss = tf.reduce_mean(tf.square(h - 0.5))
train = tf.train.AdamOptimizer(0.01).minimize(loss)
def feeds(step):
    return {x: rng.rand(64, 40, 32)}
"""
_FEEDS = """\
x = tf.placeholder(tf.float32, [None, 224, 224, 3])
k = tf.get_variable("k", [7, 7, 3, 16])
h = tf.nn.relu(tf.nn.conv2d(x, k, [1, 4, 4, 1], "SAME"))
loss = tf.reduce_mean(tf.square(tf.reduce_mean(h, [1, 2]) - 1.0))
train = tf.train.AdamOptimizer(0.01).minimize(loss)
batch = rng.rand(48, 224, 224, 3).astype("float32")
def feeds(step):
    batch[0] += 1.0  # a changed batch, so that the feed of every step is measured
    return {x: batch}
"""
_VARIABLES = """\
x = tf.placeholder(tf.float32, [4, 4096])
h = x
for number in range(16):
    h = tf.tanh(tf.matmul(h, tf.get_variable("w%d" % number, [4096, 4096])))
loss = tf.reduce_mean(tf.square(h - 1.0))
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
def feeds(step):
    return {x: rng.rand(4, 4096)}
"""


class Program(NamedTuple):
    """A program that trains.

    Attributes:
        source: The program, without its start and its loop.
        steps: The number of training steps.
        is_large: True if its memory is compared, not its time.
    """

    source: str
    steps: int
    is_large: bool = False


PROGRAMS = {
    "convolutions with batch norm": Program(_CONVOLUTIONS, 50),
    "a dynamic LSTM": Program(_LSTM, 50),
    "feeds of 29 MB": Program(_FEEDS, 50),
    "1 GB of variables": Program(_VARIABLES, 3, is_large=True),
}


# The highest expected ratio of CPU times.
TARGET = 1.3


class Cost(NamedTuple):
    """The cost of a process: CPU time in seconds, and the peak of its memory in bytes."""

    seconds: float
    peak: int


def cost(python: str, program: Program, folder: Path, *, records: bool) -> Cost:
    """Runs a program, and returns its cost.

    Args:
        python: The interpreter.
        program: The program.
        folder: An empty folder.
        records: True to record it.
    """
    script = folder / "program.py"
    script.write_text(_START + program.source + _LOOP.format(steps=program.steps), encoding="utf-8")
    command = [python, str(script)]
    if records:
        job = Job(str(folder), "plain", str(script), [], str(folder), program.steps)
        start = "from tf1mem.verifying.recording.start import main; main(sys.argv[1])"
        command = [python, *child.python(start, json.dumps(job._asdict()))[1:]]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "1")
    environment = {**os.environ, **SETTLED, **threads, "TF_CPP_MIN_LOG_LEVEL": "3"}
    with open(folder / "stderr", "wb") as output:
        process = subprocess.Popen(command, cwd=str(folder), env=environment, stdout=output, stderr=output)
        _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit((folder / "stderr").read_text(encoding="utf-8", errors="replace")[-2000:])
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss << 10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="an interpreter with TensorFlow (default: this one)")
    parser.add_argument("--pairs", type=int, default=3, help="how often each program runs in each way (default: 3)")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PROGRAMS))
    options = parser.parse_args()
    unknown = set(options.names) - set(PROGRAMS)
    if unknown:
        parser.error("no such program: {}".format(", ".join(sorted(unknown))))
    for name in options.names or PROGRAMS:
        program = PROGRAMS[name]
        pairs = []
        for _ in range(options.pairs):
            pair = []
            for records in (False, True):
                with TemporaryDirectory() as folder:
                    pair.append(cost(options.python, program, Path(folder), records=records))
            pairs.append(pair)
        plain, recorded = (min(pair[place].seconds for pair in pairs) for place in (0, 1))
        peaks = [min(pair[place].peak for pair in pairs) for place in (0, 1)]
        verdict = "" if program.is_large else "; met" if recorded <= TARGET * plain else "; MISSED"
        print(
            f"{name}: {plain:.1f} s, recorded {recorded:.1f} s, ratio {recorded / plain:.2f}{verdict}; "
            f"peak {peaks[0] >> 20:,} MiB, recorded {peaks[1] >> 20:,} MiB",
            flush=True,
        )


if __name__ == "__main__":
    main()
