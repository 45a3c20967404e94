"""The case `apply` of bench.py: the cost of `tf1mem.apply`, compared with calls of tf.config. One op follows both."""

from __future__ import annotations

import sys

from pairs import Case, ratio

ONE_OP = "print(float(tf.reduce_sum(tf.ones([1000, 1000]))))\n"

BY_HAND = (
    """\
import tensorflow as tf

for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
tf.config.set_soft_device_placement(True)
tf.config.threading.set_inter_op_parallelism_threads(2)
tf.config.threading.set_intra_op_parallelism_threads(2)
"""
    + ONE_OP
)

APPLIED = (
    """\
import tensorflow as tf
import tf1mem

tf1mem.apply(tf1mem.config(allow_growth=True, soft_placement=True, threads=2))
"""
    + ONE_OP
)


def case() -> Case:
    return Case(
        name="tf1mem.apply(config), against tf.config by hand",
        base=[sys.executable, "-c", BY_HAND],
        ours=[sys.executable, "-c", APPLIED],
        target=1.02,
        compare=ratio,
        unit="",
        pairs=7,
    )
