"""The case `sim` of bench.py: a program on simulated GPUs (`tf1mem sim`), against the same program on the CPU."""

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


def case(folder: Path) -> Case:
    """Returns the case, with the programs written to a folder. The uncounted first pair compiles the simulator."""
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
