"""`make gpu-check` without a GPU, with bad input, and with a simulated GPU in place of the real one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.version import Version

from tf1mem.gpusim.launching import simulation
from tf1mem.machine.tensorflow import installed_version

ROOT = Path(__file__).resolve().parents[2]


def run(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "gpu_check.py"), *args], env=dict(os.environ, **environment),
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip


def test_without_a_gpu_the_status_is_zero() -> None:
    done = run(CUDA_VISIBLE_DEVICES="-1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "no GPU here: nothing to compare\n", "")


def test_an_unknown_case_is_named() -> None:
    done = run("growht")
    assert done.returncode == 2
    assert "no case growht: there are nothing; fraction 0.05" in done.stderr


@pytest.mark.proof
@pytest.mark.skipif(
    (installed_version() or Version("0")) < Version("2.4rc0"), reason="its program is TensorFlow 2 code"
)
def test_a_simulated_gpu_equals_itself(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    with simulation(["8GiB,name=Card,cc=8.0"], used="1GiB") as machine:
        done = run("growth, fraction 0.05", "--json", str(figures), **machine.environment)
    assert done.returncode == 0, done.stderr
    comparison = json.loads(figures.read_text(encoding="utf-8"))
    assert (comparison["gpu"], comparison["total_bytes"], comparison["context_bytes"]) == ("Card", 8 * 2**30, 0)
    (row,) = comparison["rows"]
    assert row["driver_bytes"] == row["simulator_bytes"]
    assert 153 * 2**20 <= row["simulator_bytes"] <= 429_496_576
    assert "growth, fraction 0.05" in done.stdout
