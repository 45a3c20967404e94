"""tf1mem's tf.contrib computes the same values as TensorFlow 1.15.5's."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.processes.environment import ROOT, clean
from tf1mem.machine.tensorflow import installed_version
from tf1mem.names.contrib import TABLE

from .recording import SLOW, names_called, namespaces, programs


@pytest.fixture(scope="module")
def differences(pytestconfig):
    """Returns a line for each difference; one process runs the programs of all namespaces."""
    options = ["--check"] if pytestconfig.getoption("--whole") else ["--check", "--quick"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.v1.contrib.recording", *options], cwd=str(ROOT), env=clean(),
        stdout=subprocess.PIPE, encoding="utf-8", check=False,
    )  # fmt: skip
    *lines, summary = done.stdout.splitlines()
    assert summary.endswith(f"{len([line for line in lines if line])} differences") or lines, done.stdout
    return lines


@pytest.mark.skipif(installed_version().major < 2, reason="TensorFlow 1 has its own contrib")
@pytest.mark.parametrize("namespace", namespaces())
def test_programs_compute_the_recorded_values(differences, namespace):
    assert [line for line in differences if line.startswith(namespace + ".")] == []


def test_slow_programs_exist():
    assert {name for space in namespaces() for name in map((space + ".{}").format, programs(space))} >= SLOW


def test_every_name_is_called():
    called = {TABLE.get(name) for name in names_called()}
    uncalled = {name for name, home in TABLE.items() if home.startswith("tf1mem.v1.contrib.") and home not in called}
    assert sorted(uncalled) == []
