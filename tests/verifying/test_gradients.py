"""The gradients of two programs are compared, whichever op applies them to the variables."""

from __future__ import annotations

import json

import pytest

from tests.matrix.proof import in_ci_or_proof
from tests.verifying.forked import certificate

WARM = ("tf1mem.v1", "tf1mem.verifying.recording.start")
PROGRAM = """\
import tf1mem.v1 as tf

tf.set_random_seed(3)
table, w = tf.get_variable("table", [5, 4]), tf.get_variable("w", [4, 4])
loss = tf.nn.l2_loss(tf.matmul(tf.nn.embedding_lookup(table, [3, 1, 3]), w) - 1.0)
train = tf.train.{optimizer}(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train)
"""


@pytest.mark.parametrize(
    "optimizer",
    in_ci_or_proof(["GradientDescentOptimizer", "ProximalGradientDescentOptimizer"], ["GradientDescentOptimizer"]),
)
def test_gradients_that_differ_are_reported(optimizer, warm, tmp_path):
    """Twice the loss at half the learning rate changes the gradients, but no variable."""
    old = PROGRAM.format(optimizer=optimizer)
    new = old.replace("0.1", "0.05").replace(" - 1.0)", " - 1.0) * 2.0")
    difference = certificate(warm, tmp_path, old, new, steps=2)["first_difference"]
    assert difference is not None
    assert difference["step"] == 0
    assert "gradient of" in difference["message"] or difference["details"]["seen"].startswith("The gradient of")


def test_rows_of_a_sparse_gradient_in_another_order(warm, tmp_path):
    """The order of the rows, and whether those of one index are summed, depend on TensorFlow's version."""
    old = PROGRAM.format(optimizer="GradientDescentOptimizer")
    assert certificate(warm, tmp_path, old, old.replace("[3, 1, 3]", "[1, 3, 3]"), steps=2)["verdict"] == "same"


@pytest.mark.parametrize("inputs", ["table", "tf.nn.embedding_lookup(table, tf.placeholder_with_default([3], [None]))"])
def test_only_the_first_variables_gradients_are_fetched_above_a_limit(inputs, warm, tmp_path):
    """With `_AT_ONCE` of 20 elements, the gradient of the table (20) is fetched, and that of `w` (16) isn't."""
    limit = "import tf1mem.verifying.recording.sessions as sessions\nsessions._AT_ONCE = 20\n"
    program = PROGRAM.format(optimizer="AdamOptimizer")
    source = limit + program.replace("tf.nn.embedding_lookup(table, [3, 1, 3])", inputs)
    assert certificate(warm, tmp_path, source, source, steps=2)["verdict"] == "same"
    runs = json.loads((tmp_path / "work" / "base" / "notes.json").read_text(encoding="utf-8"))["runs"]
    gradients = [[name for name in run["values"] if name.startswith("gradient:")] for run in runs if run["trains"]]
    assert gradients == [["gradient:table"], ["gradient:table"]]


APPLYING_OPS = """\
import inspect, re
try:
    from tensorflow.python.training import gen_training_ops
except ImportError:
    from tensorflow.python.ops import gen_training_ops
from tf1mem.verifying.recording import graphs

calls = [name for name in dir(gen_training_ops) if re.match("(resource_)?(sparse_)?apply_", name)]
for name in calls:
    arguments = inspect.signature(getattr(gen_training_ops, name)).parameters
    assert sum(each in graphs.GRADIENTS for each in arguments) == 1, name
print(len(calls))
"""


def test_the_gradient_of_each_optimizer_is_known(python):
    """Each op of TensorFlow that applies a gradient has an input for it, and the input's name is known."""
    assert int(python(APPLYING_OPS)) > 40


SCIPY = """\
import tf1mem.v1 as tf

tf.set_random_seed(3)
w, b = tf.get_variable("w", [4, 2]), tf.get_variable("b", [2], initializer=tf.zeros_initializer())
loss = tf.reduce_sum(tf.square(tf.matmul(tf.ones([3, 4]), w) + b - 1.0))
optimizer = tf.contrib.opt.ScipyOptimizerInterface(loss, method="L-BFGS-B", options={"maxiter": 200})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    optimizer.minimize(sess)
"""


@pytest.mark.proof
def test_weights_that_scipy_tries_are_steps(warm, tmp_path):
    """An optimizer outside of TensorFlow feeds weights: each run with fed weights is a step, which is compared."""
    result = certificate(warm, tmp_path, SCIPY, SCIPY.replace("w) + b", "w) - b"), steps=4)
    assert [side["steps"] for side in (result["old"], result["new"])] == [4, 4]
    assert result["first_difference"]["step"] == 0
    assert "gradient" in json.dumps(result["first_difference"])
