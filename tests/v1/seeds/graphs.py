"""Draws the numbers of graphs with seeds, on TensorFlow 1.15.5 and here.

Usage, from the root of the repository:

    python -m tests.v1.seeds.graphs            on TensorFlow 1.15.5: records
    python -m tests.v1.seeds.graphs --check    on any: prints the graphs that draw other numbers; exits with 1 for any

Each line of graphs.txt is a graph ("||" stands for a line end in it). A graph appends tensors to `out`, and ops that
run before them to `first`. The variables' initial values, `out`, and a number that is drawn last are compared.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Iterator

import numpy as np

from tests.v1.contrib.values import numbers
from tf1mem.machine.tensorflow import installed_version

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "recorded" / "graphs.json"
TENSORFLOW = "1.15.5"
# Graphs that draw other numbers than TensorFlow 1.15.5, and the change in TensorFlow.
_REPEATED = "a repeated ShuffleDataset, ShuffleAndRepeatDataset: the kernels draw each pass's seeds in another way"
KNOWN = {
    "d = tf.data.Dataset.range(10).shuffle(10).repeat(2).batch(15); "
    "out += [d.make_one_shot_iterator().get_next(), tf.random_normal([2])]": _REPEATED,
    "d = tf.data.Dataset.range(6).apply(tf.data.experimental.shuffle_and_repeat(6, 2)).batch(12); "
    "out += [d.make_one_shot_iterator().get_next()]": _REPEATED,
}
KNOWN_BEFORE_2_10 = {
    **KNOWN,
    "out += [tf.nn.dropout(x, 1.0), tf.random_normal([2]), tf.nn.dropout(x, 0.5, seed=3), tf.random_normal([2])]": (
        "dropout that keeps all: ops/nn_ops.py makes other ops for it, in the same kind of call"
    ),
}
_LISTED = 12  # numbers of an array that are kept one by one
_TOLERANCE = 1e-6


def graphs() -> list[str]:
    """Returns the graphs."""
    lines = (HERE / "graphs.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def draw(tf: Any, graph: str) -> list[Any]:
    """Returns the numbers that a graph draws, for JSON."""
    with tf.Graph().as_default():
        tf.set_random_seed(77)
        x = numbers(4, 3)
        names = {
            "tf": tf,
            "p": tf.placeholder_with_default(0.5, []),
            "x": tf.constant(x),
            "u": tf.placeholder_with_default(x, [None, 3]),
            "y": tf.constant(np.eye(3, dtype=np.float32)[[0, 1, 2, 0]]),
            "i": tf.constant([0, 1, 2, 0]),
            "seq": tf.constant(numbers(2, 5, 3)),
            "img": tf.constant(numbers(2, 8, 8, 3)),
            "out": [],
            "first": [],
        }
        exec(compile(graph.replace(" || ", "\n"), "graphs.txt", "exec"), names)
        fetched = [tf.global_variables(), names["out"], tf.random_normal([2])]
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            sess.run(names["first"])
            return [_kept(value) for value in tf.nest.flatten(sess.run(fetched))]


def _kept(value: Any) -> Any:
    array = np.asarray(value, np.float64)
    listed = array.ravel() if array.size <= _LISTED else [*array.ravel()[:_LISTED], array.sum(), np.abs(array).sum()]
    return [float(f"{number:.9g}") for number in listed]


def same(recorded: Any, drawn: Any) -> bool:
    """Returns True if two lists of lists of numbers agree to 1e-6."""
    return [len(part) for part in recorded] == [len(part) for part in drawn] and all(
        abs(left - other) <= _TOLERANCE * max(1.0, abs(left))
        for ones, others in zip(recorded, drawn)
        for left, other in zip(ones, others)
    )


def differing(tf: Any) -> Iterator[str]:
    """Yields the graphs that draw other numbers than recorded."""
    recorded = json.loads(RECORDED.read_text("utf-8"))
    for graph in graphs():
        try:
            drawn = draw(tf, graph)
        except Exception as error:
            yield f"{graph}  # {type(error).__name__}: {error}".splitlines()[0]
        else:
            if not same(recorded[graph], drawn):
                yield graph


def main(arguments: list[str]) -> int:
    """Records or checks; returns 1 if something differs."""
    version = str(installed_version())
    tf = import_module("tensorflow" if version == TENSORFLOW else "tf1mem.v1")
    tf.logging.set_verbosity(tf.logging.ERROR)
    if arguments != ["--check"]:
        assert version == TENSORFLOW, f"this Python has TensorFlow {version}"
        recorded = json.loads(RECORDED.read_text("utf-8"))  # existing records stay, as TensorFlow 1.15.5 doesn't change
        drawn = {graph: recorded[graph] if graph in recorded else draw(tf, graph) for graph in graphs()}
        lines = [f"{json.dumps(graph)}: {json.dumps(values)}" for graph, values in drawn.items()]
        RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        return 0
    others = list(differing(tf))
    print("\n".join([*others, f"{len(graphs())} graphs, {len(others)} draw other numbers"]))
    return int(bool(others))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
