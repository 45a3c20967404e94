"""What all tests share: running Python in a process of its own, and which TensorFlow is installed.

TensorFlow reads settings once per process, so a test that applies any runs them in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from packaging.version import Version

from tf1mem.runtime import installed_version

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def tensorflow_version() -> Version:
    """The version of the TensorFlow that these tests run on. There has to be one."""
    version = installed_version()
    assert version is not None, "the tests talk to a real TensorFlow: install one, or run `make test`"
    return version


@pytest.fixture
def python(tmp_path: Path):
    """Runs a program in a new process; returns what it printed, and fails with its output if it fails."""

    def run(code: str, *, status: int = 0, env: dict | None = None) -> str:
        script = tmp_path / "program.py"
        script.write_text(textwrap.dedent(code), encoding="utf-8")
        variables = {name: value for name, value in os.environ.items() if not name.startswith(("TF1MEM_", "TF_"))}
        variables.update(PYTHONPATH=str(ROOT), TF_CPP_MIN_LOG_LEVEL="3", PYTHONIOENCODING="utf-8", **(env or {}))
        done = subprocess.run(
            [sys.executable, str(script)], cwd=str(tmp_path), env=variables, capture_output=True,
            encoding="utf-8", timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    return run
