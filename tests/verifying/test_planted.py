"""Differences planted in a program are found, with the op, the line and the argument."""

from __future__ import annotations

import pytest

from tests.matrix.proof import in_ci_or_proof
from tests.verifying.forked import certificate
from tests.verifying.planted import BASE, PLANTED, new, planted

WARM = ("tf1mem.v1", "tf1mem.verifying.recording.start")
_BY_NAME = {each.name: each for each in PLANTED}
# Differences of several kinds, and some that are hard to find; `make proof` runs all.
_IN_CI = {
    "learning rate in the graph",
    "a missing update op",
    "dropout left out",
    "a variable that isn't restored",
    "growth lost",
    "a metric off by one",
}


@pytest.mark.parametrize("name", in_ci_or_proof(_BY_NAME, _IN_CI))
def test_a_planted_difference_is_found(name, warm, kept, tmp_path):
    each = _BY_NAME[name]
    result = certificate(warm, tmp_path, new(BASE), planted(each), kept=kept, steps=6)
    difference = result["first_difference"]
    assert result["verdict"] == "different", result["reason"]
    assert difference["kind"] == each.kind, difference["message"]
    assert [word for word in each.says if word not in difference["message"]] == [], difference["message"]


@pytest.mark.proof
def test_the_last_step_s_update_is_compared(warm, tmp_path):
    each = _BY_NAME["epsilon of Adam"]
    difference = certificate(warm, tmp_path, new(BASE), planted(each), steps=1)["first_difference"]
    assert (difference["kind"], difference["step"]) == ("update", 0)
    assert "epsilon" in difference["message"]


def test_equal_programs_have_no_difference(warm, tmp_path):
    result = certificate(warm, tmp_path, new(BASE), new(BASE), steps=6)
    assert (result["verdict"], result["first_difference"]) == ("same", None)
    assert result["compared"]["values"] > 200
    assert result["compared"]["different"] == 0  # on several CPUs sums are added in any order
    assert [curve["name"] for curve in result["curves"]] == ["add:0", "Mean:0"]


def test_additional_ops_are_no_difference(warm, kept, tmp_path):
    """Additional ops shift the numbers of all later ops, and so the seeds of ops without a seed of their own."""
    more = new(BASE).replace("z = tf.layers.dense(h, 2)", "unused = tf.constant(1.0) + 2.0\nz = tf.layers.dense(h, 2)")
    result = certificate(warm, tmp_path, new(BASE), more, kept=kept, steps=6)
    assert result["verdict"] == "same", result["first_difference"]["message"]
    assert any("Initial values of dense_1/kernel" in note for note in result["notes"])
