"""The case `doctor` of bench.py: `tf1mem doctor -- script.py`, against `python script.py`."""

from __future__ import annotations

import sys
from pathlib import Path

from pairs import Case, ratio

# The script runs so long that the doctor's own start and its report, some tenths of a second, don't matter.
MANY_STEPS = """\
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()
weights = tf1.get_variable("weights", [64, 64])
step = weights.assign(tf.matmul(weights, weights) * 0.01).op
with tf1.Session(config=tf1.ConfigProto()) as session:
    session.run(tf1.global_variables_initializer())
    for _ in range(150000):
        session.run(step)
"""


def case(folder: Path) -> Case:
    """Writes the script to a folder, and returns the case: the doctor may make it at most 5 % slower."""
    script = folder / "many_steps.py"
    script.write_text(MANY_STEPS, encoding="utf-8")
    return Case(
        name="tf1mem doctor -- script.py, against python script.py",
        base=[sys.executable, str(script)],
        ours=[sys.executable, "-m", "tf1mem", "doctor", "--", str(script)],
        target=1.05,
        compare=ratio,
        unit="",
        pairs=5,
    )
