"""Every recording of what a TensorFlow says and does: that TensorFlow still says and does it.

`make test` holds what is of the newest stable one, `make proof` what is of the others: they change no more.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.processes.environment import ROOT, clean

from .conftest import RECORDED


@pytest.mark.parametrize("script", RECORDED)
def test_tensorflow_still_says_so(script):
    done = subprocess.run(
        [sys.executable, "-m", script, "--check"], cwd=str(ROOT), env=clean(), capture_output=True, encoding="utf-8",
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
