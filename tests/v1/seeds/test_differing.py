"""`tf1mem run --report` lists the calls after which other numbers are drawn than on TensorFlow 1."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from importlib.util import find_spec

import pytest

from migration_guide.generating.seeds import KINDS, kind
from tests.processes.environment import clean
from tf1mem.machine.tensorflow import installed_version
from tf1mem.v1._differing import TableWatch, features_of
from tf1mem.v1._differing_table import ROWS, table

from .counting import OTHERS, _read
from .differing import Case, blamed, kinds

# For each graph its seed, its code, and the expected reports by line, counted within the graph.
GRAPHS = (
    ("no seed", "None", "tf.gradients(tf.tensordot(x, v, 1), [x])\ntf.random_normal([2])", {}),
    ("nothing is drawn after it", "1", "tf.random_normal([2])\ntf.gradients(tf.tensordot(x, v, 1), [x])", {}),
    ("no gradients", "1", "tf.tensordot(x, v, 1)\ntf.random_normal([2])", {}),
    ("a seed of its own", "1", "tf.gradients(tf.tensordot(x, v, 1), [x])\ntf.random_normal([2], seed=3)", {}),
    ("other gradients", "1", "tf.gradients(tf.nn.relu(tf.matmul(x, v)), [v])\ntf.random_normal([2])", {}),
    ("a layer by its other flags", "1", "tf.layers.batch_normalization(x, training=t)\ntf.layers.dense(x, 2)", {}),
    ("a layer by its flags", "1", "tf.layers.batch_normalization(x, renorm=True, training=t)\ntf.layers.dense(x, 2)",
     {"a BatchNormalization layer": 0}),
    ("a layer and a metric that aren't counted", "1",
     "tf.keras.layers.Attention()([x, x])\ntf.random_normal([2])\ntf.keras.metrics.AUC()(x, x)\ntf.random_normal([2])",
     {"an Attention layer": 0, "tf.keras.metrics.AUC": 2}),
    ("a distribution that isn't counted", "1", "tf.contrib.distributions.MultivariateNormalDiag(x, x).sample()",
     {"tf.contrib.distributions.MultivariateNormalDiag": 0}),
    ("each function once", "1", "y = tf.tensordot(x, v, 1)\ntf.gradients(y, [x])\ntf.random_normal([2])\n"
     "tf.gradients(tf.nn.swish(x), [x])\ntf.gradients(tf.tensordot(x, v, 1), [x])\ntf.random_normal([2])",
     {"the gradients of tf.tensordot": 0, "the gradients of tf.nn.swish": 3}),
    ("a loop with counted gradients", "1", "tf.gradients(loop(lambda y: y * 2.0, x), [x])\ntf.random_normal([2])", {}),
    ("a loop with others", "1", "tf.gradients(loop(lambda y: y * tf.reduce_prod(y), x), [x])\ntf.random_normal([2])",
     {"the gradients of tf.while_loop": 0}),
)  # fmt: skip
LOOP = """\
def loop(step, x):
    return tf.while_loop(lambda k, y: k < 3, lambda k, y: (k + 1, step(y)), [0, x])[1]

"""
BEGIN = """\
with tf.Graph().as_default():
    tf.set_random_seed({seed})
    x, v, t = tf.ones([4, 3]), tf.get_variable("v", [3, 2]), tf.placeholder(tf.bool, [])
"""


@pytest.mark.skipif(installed_version().release < (2, 21), reason="another TensorFlow differs in other functions")
@pytest.mark.skipif(not find_spec("tf_keras"), reason="layers need tf_keras")
def test_the_report_lists_differing_calls(tmp_path):
    program, expected = "import tensorflow as tf\n" + LOOP, []
    for name, seed, calls, lines in GRAPHS:
        program += f"# {name}\n" + BEGIN.format(seed=seed)
        first = program.count("\n") + 1
        program += textwrap.indent(calls, "    ") + "\n"
        expected += [
            f"after {call} at train.py:{first + line} differ from TensorFlow 1's" for call, line in lines.items()
        ]
    (tmp_path / "train.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "tf1mem", "run", "--report", "train.py"], cwd=str(tmp_path), env=clean(),
        stderr=subprocess.PIPE, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("seeds:")]  # type: ignore[assignment]
    assert lines == [f"seeds: random numbers drawn {line}" for line in expected]  # type: ignore[comparison-overlap]


def test_a_newer_tensorflow_uses_the_newest_measured_rows():
    assert table(None) == {name: [{*kind.split()} for kind in kinds] for name, kinds in ROWS[list(ROWS)[-1]].items()}


def test_kinds_have_features_that_no_equal_call_has():
    cases = [
        Case("f", {"x=S", "axis=i"}, "tf.f(x, 1)"),
        Case("f", {"x=D", "axis=i"}, "tf.f(u, 1)"),
        Case("f", {"x=D", "!axis"}, "tf.f(u)"),
    ]
    assert list(kinds("f", cases, {"tf.f(u, 1)"})) == [("axis=i", "x=D")]
    assert list(kinds("f", cases, {"tf.f(u, 1)", "tf.f(u)"})) == [("x=D",)]
    assert list(kinds("f", cases[:1] * 2, {"tf.g(tf.f(x, 1))"})) == []


def test_the_function_that_a_call_is_blamed_on():
    assert blamed("tf.gradients(tf.scan(f, x)[0], [x])") == "gradients of scan"
    assert blamed("tf.linalg.expm(tf.eye(3))") == "linalg.expm"
    assert blamed("tf.train.AdamOptimizer().minimize(tf.nn.swish(x))") is None


def test_the_features_of_a_call():
    assert features_of({"rate": 0.5, "x": [1], "name": "n"}, ["rate", "x", "seed"]) == {
        "rate=f", "rate=0.5", "x=l", "!seed"
    }  # fmt: skip


class Graph:
    version = 0


def test_an_outer_call_replaces_the_calls_within_it():
    calls = []
    graph = Graph()
    watch = TableWatch({"inner": [set()], "outer": [{"x=S"}]}, lambda: graph, lambda what, _: calls.append(what))
    watch.called("inner", {"x=S"}, graph, 3)
    watch.called("outer", {"x=S"}, graph, 2)
    watch.called("outer", {"x=D"}, graph, 5)
    assert calls == []
    watch.report_pending(graph)
    assert calls == ["tf.outer"]


def test_the_page_has_a_row_for_each_differing_call_and_no_other_rows():
    assert {kind(call) for calls in _read(OTHERS).values() for call in calls} == {*range(len(KINDS))}
