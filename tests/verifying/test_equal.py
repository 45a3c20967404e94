"""Programs that are the same on TensorFlow 1.15.5 and on the development environment's are called the same."""

from __future__ import annotations

import pytest

from tests.verifying.equal import EQUAL
from tests.verifying.planted import BASE, PLANTED
from tests.verifying.test_sides import pytestmark as on_old
from tests.verifying.test_sides import verify

pytestmark = on_old
# The first has threads that wait for each other, and tensors that can't be fetched; the other differs by rounding that
# moved weights don't show. `make proof` runs all.
_IN_CI = {"queues and a loop", "a batch norm over large batches"}
# Variants of the program that differences are planted in are programs of their own.
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


@pytest.mark.parametrize("name", _PROGRAMS)
def test_an_equal_program_is_called_the_same(name, tmp_path, pytestconfig):
    if name not in _IN_CI and not pytestconfig.getoption("--whole"):
        pytest.skip("make proof has it")
    (tmp_path / "program.py").write_text(_PROGRAMS[name], encoding="utf-8")
    status, result, complaint = verify(tmp_path, "--steps", "10", "program.py")
    assert result is not None, complaint
    assert (status, result["verdict"]) == (0, "same"), (result["reason"], result["first_difference"])
