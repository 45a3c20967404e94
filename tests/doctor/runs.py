"""Runs the doctor as its users do: as a separate process, on simulated GPUs."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from tests.processes.environment import LIMIT_S, clean
from tests.processes.schemas import valid

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPTS = Path(__file__).resolve().parent / "scripts"


def tf1mem(*arguments: str, cwd: str | Path = SCRIPTS, **more: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "tf1mem", *arguments],
        cwd=str(cwd), env=clean(**more), capture_output=True, encoding="utf-8", timeout=LIMIT_S, check=False,
    )  # fmt: skip


@lru_cache(maxsize=None)
def report(*arguments: str, **more: str) -> dict:
    """Returns the doctor's JSON; each command line runs once for all tests."""
    done = tf1mem("doctor", "--format", "json", *arguments, **more)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        raise AssertionError(done.stdout + done.stderr) from None
    return valid("doctor_script", document) if "--" in arguments else valid("doctor", document)


def examined(script: str, **more: str) -> dict:
    """Runs a script of `scripts` under the doctor, on two simulated GPUs of 8 GiB; returns its JSON."""
    return report("--gpus", "2", "--gpu", "8GiB", "--", script, **more)


def codes(result: dict) -> list[str]:
    return [finding["code"] for finding in result["findings"]]


def finding(result: dict, code: str) -> dict:
    """Returns the finding with a code; fails unless there is exactly one."""
    matching = [finding for finding in result["findings"] if finding["code"] == code]
    assert len(matching) == 1, (code, codes(result))
    return matching[0]
