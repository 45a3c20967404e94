"""Runs programs that call CUDA's libraries by ctypes, each in a separate process on simulated GPUs."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from tests.processes.environment import LIMIT_S, clean
from tf1mem.gpusim.launching import simulation

ROOT = Path(__file__).resolve().parents[2]

PRELUDE = """
import ctypes, json, os, sys, threading, time
from ctypes import byref, c_char, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p

def out(*values):
    print(json.dumps(values[0] if len(values) == 1 else list(values)), flush=True)
"""


class Done:
    """The result of a program: its output, read as JSON, its lines in the trace, and its standard error."""

    def __init__(self, printed: list[Any], trace: list[dict[str, Any]], stderr: str) -> None:
        self.printed, self.trace, self.stderr = printed, trace, stderr

    def events(self, event: str) -> list[dict[str, Any]]:
        return [line for line in self.trace if line["event"] == event]

    @property
    def unsupported(self) -> list[tuple[str, str]]:
        return [(line["library"], line["function"]) for line in self.events("unsupported")]


def run(code: str, folder: Path, gpus: Any = ("8GiB",), used: Any = None, **env: str) -> Done:
    """Runs a program on a new machine; fails with the program's output if the program fails."""
    trace = folder / "trace.jsonl"
    with simulation(gpus, trace=trace, used=used) as machine:
        done = subprocess.run(
            [sys.executable, "-c", PRELUDE + textwrap.dedent(code)],
            env=clean(**{**machine.environment, **env}),
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT_S,
            check=False,
        )
        machine.reap()
    assert done.returncode == 0, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return Done(
        [json.loads(line) for line in done.stdout.splitlines()],
        [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()] if trace.exists() else [],
        done.stderr,
    )
