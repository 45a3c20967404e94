"""Graphs with seeds draw what TensorFlow 1.15.5 drew."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.marks import NEEDS_KERAS_2
from tests.processes.environment import ROOT, clean
from tf1mem.machine.tensorflow import installed_version

from .graphs import KNOWN, KNOWN_BEFORE_2_10, graphs


@pytest.mark.skipif(installed_version().release < (2, 4), reason="what ops they make has not been counted")
@NEEDS_KERAS_2
def test_graphs_draw_the_recorded_numbers():
    done = subprocess.run(
        [sys.executable, "-m", "tests.v1.seeds.graphs", "--check"], cwd=str(ROOT), env=clean(),
        stdout=subprocess.PIPE, encoding="utf-8", check=False,
    )  # fmt: skip
    *others, summary = done.stdout.splitlines()
    assert summary.startswith(f"{len(graphs())} graphs, "), done.stdout
    known = KNOWN if installed_version().release >= (2, 10) else KNOWN_BEFORE_2_10
    assert [other for other in others if other not in known] == []


def test_there_are_enough_graphs():
    assert len(set(graphs())) >= 150 > 10 * len(KNOWN)
