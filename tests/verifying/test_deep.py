"""With `--deep` the first difference is found inside loops, branches and functions, with the iteration."""

from __future__ import annotations

import pytest

from tests.verifying.forked import certificate
from tf1mem.verifying import recordings

WARM = ("tf1mem.v1", "tf1mem.verifying.recording.start")
PROGRAM = """\
import tf1mem.v1 as tf

tf.set_random_seed(3)
x = tf.placeholder(tf.float32, [2, 4])
w = tf.get_variable("w", [4, 4])


def body(i, h):
    h = tf.matmul(h, w)
    h = h + tf.cast(i > 9, tf.float32)
    return i + 1, tf.tanh(h)


_, h = tf.while_loop(lambda i, h: i < 4, body, (0, x))
h = tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.nn.relu(h - 0.1), lambda: h)
h = tf.function(lambda h: tf.nn.softplus(h))(h)
loss = tf.reduce_mean(tf.square(h - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run([train, loss], {x: [[0.1, 0.2, 0.3, 0.4], [0.4, 0.1, 0.2, 0.3]]})
"""


FED = "{x: [[0.1, 0.2, 0.3, 0.4], [0.4, 0.1, 0.2, 0.3]]}"
# Two batches for two steps, and random numbers: each further run of the graph would take others.
DATA = (
    "x = tf.placeholder(tf.float32, [2, 4])",
    "rows = tf.data.Dataset.from_tensor_slices([[0.1 * row, 0.2, 0.3, 0.4] for row in range(4)]).batch(2, True)\n"
    "x = tf.data.make_one_shot_iterator(rows).get_next() + tf.random_normal([2, 4])",
)
TAKEN = (f", {FED}", "")
V2 = ("tf.set_random_seed(3)", "tf.set_random_seed(3)\ntf.enable_control_flow_v2()")


@pytest.mark.parametrize(
    ("change", "in_old", "in_new", "iteration", "op"),
    [
        pytest.param(("i > 9", "i > 1"), (), (), 2, "while/Greater (Greater)", id="loop"),
        pytest.param(("tf.nn.relu", "tf.nn.elu"), (), (), None, "cond/Relu (Relu, now Elu)", id="branch"),
        pytest.param(
            ("tf.nn.softplus", "tf.nn.softsign"),
            (),
            (),
            None,
            "PartitionedCall/Softplus (Softplus, now Softsign)",
            id="function",
        ),
        pytest.param(
            ("tf.tanh(h)", "tf.sigmoid(h)"),
            (),
            (V2,),
            0,
            "while/Tanh (Tanh, now Sigmoid)",
            id="loop, now of functions",
            marks=pytest.mark.proof,
        ),
        pytest.param(
            ("tf.tanh(h)", "tf.sigmoid(h)"),
            (DATA, TAKEN),
            (V2, DATA, TAKEN),
            0,
            "while/Tanh (Tanh, now Sigmoid)",
            id="loop over data",
            marks=pytest.mark.proof,
        ),
        pytest.param(
            ("tf.nn.relu", "tf.nn.elu"),
            (V2,),
            (V2,),
            None,
            "cond/Relu (Relu, now Elu)",
            id="branch of functions",
            marks=pytest.mark.proof,
        ),
    ],
)
def test_the_first_difference_inside_a_function_is_found(change, in_old, in_new, iteration, op, warm, kept, tmp_path):
    sources = [PROGRAM, PROGRAM]
    for place, changes in enumerate([in_old, [*in_new, change]]):
        for old, new in changes:
            assert sources[place].count(old) == 1
            sources[place] = sources[place].replace(old, new)
    difference = certificate(warm, tmp_path, sources[0], sources[1], kept=kept, steps=2, deep=True)["first_difference"]
    lines = [source[: source.index(text)].count("\n") + 1 for source, text in zip(sources, change)]
    assert f"{op} gives another result at step 0" in difference["message"]
    assert f"(program.py:{lines[0]}; now new.py:{lines[1]})" in difference["message"]
    assert difference["details"].get("iteration") == iteration


# The loop's function refuses a second call, with which verify would record the loop.
REFUSING = PROGRAM.replace(
    "h = tf.matmul(h, w)", "h = tf.matmul(h, w) * tf.ensure_shape(tf.py_func(few, [i], tf.float32), [])"
).replace(
    "def body(i, h):",
    """calls = []


def few(i):
    calls.append(i)
    if len(calls) > 4:
        raise ValueError("called again")
    return tf.float32.as_numpy_dtype(1)


def body(i, h):""",
)


@pytest.mark.proof
def test_a_loop_that_cannot_be_recorded(warm, tmp_path):
    """Ops outside of the loop are compared, also with a recording of the old side."""
    assert "calls = []" in REFUSING
    assert "few, [i]" in REFUSING
    sources = REFUSING, REFUSING.replace("tf.square(", "tf.abs(")
    results = [certificate(warm, tmp_path, *sources, steps=1, deep=True)]
    file, again = tmp_path / "old", tmp_path / "again"
    names = ("base", "moved1", "moved2", "traced", "traced1")
    recordings.pack(file, {name: tmp_path / "work" / name for name in names}, {"steps": 1})
    again.mkdir()
    results.append(certificate(warm, again, *sources, steps=1, deep=True, old_file=str(file)))
    for result in results:
        assert "Square only on the old side" in result["first_difference"]["message"]
        notes = [each for each in result["notes"] if each.startswith("--deep: the old side's loops")]
        assert len(notes) == 1
