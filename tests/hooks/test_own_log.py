"""Some lines are taken out of stderr while TensorFlow's libraries load, and the others stay."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.processes.environment import clean

CODE = """
import os
from tf1mem.hooks.own_log import sieved
with sieved():
    os.write(2, b"WARNING: All log messages before absl::InitializeLog() is called are written to STDERR\\n")
    os.write(2, b"E0000 00:00:1795394631.554565    3497 cuda_dnn.cc:8310] Unable to register cuDNN factory\\n")
    os.write(2, b"F0000 00:00:1795394631.554565    3497 guard.cc:12] This library wants AVX\\nE is not the log's\\nend")
    {}
os.write(2, b", and after")
"""
PASSED = "F0000 00:00:1795394631.554565    3497 guard.cc:12] This library wants AVX\nE is not the log's\nend"


@pytest.mark.parametrize(
    ("act", "passed"), [("pass", PASSED + ", and after"), ("os.abort()", PASSED)], ids=["loads", "ends the process"]
)
def test_the_log_alone_is_taken_out(act, passed):
    command = [sys.executable, "-c", CODE.format(act)]
    done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8", env=clean(), timeout=300)
    assert done.stderr == passed
    assert (done.returncode == 0) == (act == "pass")
