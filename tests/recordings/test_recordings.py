"""Every recording agrees with the TensorFlow that it was made on.

They change with TensorFlow alone, so `make proof` checks them.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.processes.environment import ROOT, clean

from .conftest import RECORDED


@pytest.mark.proof
@pytest.mark.parametrize("script", RECORDED)
def test_tensorflow_still_says_so(script):
    done = subprocess.run(
        [sys.executable, "-m", script, "--check"], cwd=str(ROOT), env=clean(), capture_output=True, encoding="utf-8",
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
