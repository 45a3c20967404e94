"""Calls of functions, with their flags, count the ops that TensorFlow 1.15.5 made."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.processes.environment import ROOT, clean
from tf1mem.machine.tensorflow import installed_version
from tf1mem.v1._op_counts import Counter, parsed

from .counting import expanded

# Functions that are called in many ways, of which the calls are counted anew in CI.
COUNTED = ("layer BatchNormalization", "python.ops.confusion_matrix:confusion_matrix", "linalg.expm")


@pytest.mark.skipif(installed_version().release < (2, 21), reason="counted once, on the newest")
@pytest.mark.skipif(not find_spec("tf_keras"), reason="layers need tf_keras")
def test_calls_count_what_they_counted():
    done = subprocess.run(
        [sys.executable, "-m", "tests.v1.seeds.counting", "--check", *COUNTED], cwd=str(ROOT), env=clean(),
        stdout=subprocess.PIPE, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_a_pattern_is_all_its_calls():
    assert expanded("f(«x|u»«|, 1»)") == ["f(x)", "f(x, 1)", "f(u)", "f(u, 1)"]


@pytest.mark.parametrize(
    ("text", "own", "more"),
    [
        ("8>10", 10, -2),
        ("8>10", 50, -2),
        ("4>5x", 50, -10),
        ("6>8x 8>10x", 24, -6),
        ("6>8x 8>10x", 20, -4),
        ("6>8x 8>10x", 28, -6),
    ],
)
def test_what_a_row_adds(text, own, more):
    counter = Counter({"f": parsed(text)}, lambda: None)
    assert counter.whole("f", "", None, own) == more
