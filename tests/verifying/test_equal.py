"""Programs that are the same on TensorFlow 1.15.5 and on the development environment's are called the same."""

from __future__ import annotations

import pytest

from tests.matrix.proof import in_ci_or_proof
from tests.verifying.equal import EQUAL
from tests.verifying.planted import BASE, PLANTED
from tests.verifying.test_sides import pytestmark as on_old
from tests.verifying.test_sides import verify

pytestmark = on_old
# The first program has threads that wait for each other, and tensors that can't be fetched. The second differs by
# rounding that moved weights don't show. `make proof` runs all.
_IN_CI = {"queues, a loop and a handle", "a batch norm over large batches"}
# These variants of `BASE` are compared with themselves. Elsewhere each is a planted difference.
_VARIANTS = {
    "activation",
    "activation of a dense layer",
    "epsilon of Adam",
    "another optimizer",
    "a dropped last batch",
    "batch norm at rest",
    "dropout left out",
    "a swapped axis",
    "a transposed kernel",
    "clipping by value",
    "corners",
    "average pooling",
}
_PROGRAMS = {**EQUAL, **{each.name: BASE.replace(each.old, each.new) for each in PLANTED if each.name in _VARIANTS}}


@pytest.mark.parametrize("name", in_ci_or_proof(_PROGRAMS, _IN_CI))
def test_an_equal_program_is_called_the_same(name, tmp_path):
    (tmp_path / "program.py").write_text(_PROGRAMS[name], encoding="utf-8")
    status, result, complaint = verify(tmp_path, "--steps", "10", "program.py")
    assert result is not None, complaint
    assert (status, result["verdict"]) == (0, "same"), (result["reason"], result["first_difference"])


# TensorFlows make dropout of other ops, which leaves more than the order of a sum to explain a difference.
_WIDE = EQUAL["a batch norm over large batches"].replace(
    "tf.nn.dropout(tf.layers.flatten(h), keep_prob=0.8)", "tf.layers.flatten(h)"
)
_DIFFERENCES = {
    "an update op": (
        "with tf.Session() as sess:",
        "decay = tf.trainable_variables()[0].assign(tf.trainable_variables()[0] * (1 - 1e-5))\n"
        "train = tf.group(train, decay)\nwith tf.Session() as sess:",
        "conv2d/kernel differs: changes in a step is 1 on the old side, 2 on the new",
    ),
    "a rate that changes after a flip": (
        "AdamOptimizer(0.01)",
        "AdamOptimizer(tf.where(tf.less(count, 8), 0.01, 0.02))",
        "Select/e:0 is 0.01 on the old side, 0.02 on the new",
    ),
}


@pytest.mark.parametrize("name", in_ci_or_proof(_DIFFERENCES, ["an update op"]))
def test_a_difference_beside_wide_limits_is_named(name, tmp_path):
    """Even where limits are wide for sums and flips, a difference of the graphs themselves counts."""
    before, after, message = _DIFFERENCES[name]
    old = _WIDE.replace("loss =", "count = tf.train.get_or_create_global_step()\nloss =")
    old = old.replace("minimize(loss)", "minimize(loss, global_step=count)")
    assert before in old
    new = old.replace(before, after).replace("import tensorflow as tf", "import tf1mem.v1 as tf")
    old = old.replace(before, after.replace("0.02", "0.01")) if "where" in after else old
    (tmp_path / "program.py").write_text(old, encoding="utf-8")
    (tmp_path / "new.py").write_text(new, encoding="utf-8")
    status, result, complaint = verify(tmp_path, "--steps", "10", "--against", "new.py", "program.py")
    assert result is not None, complaint
    assert (status, result["verdict"]) == (1, "different"), result["notes"]
    assert message in result["first_difference"]["message"]
