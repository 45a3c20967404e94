"""A program for standalone Keras computes by `tf1mem run` what it did with Keras 2.2.5 on TensorFlow 1.15.5."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.marks import NEEDS_KERAS_2
from tf1mem.machine.tensorflow import installed_version

pytestmark = [
    pytest.mark.skipif(installed_version().major < 2, reason="on TensorFlow 1, Keras stays as it is"),
    NEEDS_KERAS_2,
]

FOLDER = Path(__file__).parent / "keras_1"
# Program -> its output with Keras 2.2.5 on TensorFlow 1.15.5.
RECORDED = {name: json.loads((FOLDER / f"{name}.json").read_text("utf-8")) for name in ("computed", "loops")}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Returns the output of each program by `tf1mem run`."""
    outputs = {}
    for name in RECORDED:
        folder = tmp_path_factory.mktemp(name)
        command = [sys.executable, "-m", "tf1mem", "run", str(FOLDER / f"{name}.py")]
        done = subprocess.run(command, cwd=str(folder), capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        outputs[name] = json.loads(done.stdout.decode("utf-8"))
    return outputs


def _flat(values):
    return [each for value in values for each in _flat(value)] if isinstance(values, list) else [values]


@pytest.mark.parametrize(
    ("program", "name"), [(program, name) for program in RECORDED for name in sorted(RECORDED[program])]
)
def test_the_same_numbers(outputs, program, name):
    # Keras 2.2.5 updates variables while gradients are computed that read them: its own runs differ by up to 0.1%.
    assert _flat(outputs[program][name]) == [
        pytest.approx(value, rel=2e-3, abs=2e-5) if isinstance(value, float) else value
        for value in _flat(RECORDED[program][name])
    ]


def test_nothing_is_left_out(outputs):
    assert {program: sorted(values) for program, values in outputs.items()} == {
        program: sorted(values) for program, values in RECORDED.items()
    }
