"""Measures a command's wall time, CPU time and memory, including every process that it starts."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

_LOOK_EVERY_SECONDS = 0.05


class Cost(NamedTuple):
    """The cost of a command.

    Attributes:
        status: The exit status.
        wall_seconds: The time from start to end.
        cpu_seconds: The user and system time of all its processes.
        peak_mib: The most memory of all its processes at one time, with shared pages counted once (PSS; Linux only,
            read every 50 ms), or the most memory of one process if that can't be read.
        errors: The end of standard error.
    """

    status: int
    wall_seconds: float
    cpu_seconds: float
    peak_mib: float
    errors: str


def cost(command: list[str], *, out: Path, **variables: str) -> Cost:
    """Runs a command to its end, and returns its cost.

    Args:
        command: The command.
        out: The file for its standard output.
        variables: Further environment variables of the command.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    peak = 0
    environment = {**os.environ, **variables}
    errors = out.with_suffix(".stderr")
    with open(out, "wb") as output, open(errors, "wb") as error:
        process = subprocess.Popen(command, stdout=output, stderr=error, stdin=subprocess.DEVNULL, env=environment)
        while True:
            try:
                process.wait(_LOOK_EVERY_SECONDS)
                break
            except subprocess.TimeoutExpired:
                peak = max(peak, sum(_pss_bytes(pid) for pid in _family(process.pid)))
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not peak:
        peak = after.ru_maxrss * 1024
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    messages = errors.read_text(encoding="utf-8", errors="replace")
    return Cost(process.returncode, wall, cpu, peak / 2**20, messages[-2000:])


def _family(pid: int) -> list[int]:
    """Returns the ids of a process and of all its descendants."""
    pids, waiting = [], [pid]
    while waiting:
        member = waiting.pop()
        pids.append(member)
        try:
            for task in os.listdir(f"/proc/{member}/task"):
                children = Path(f"/proc/{member}/task/{task}/children").read_text(encoding="ascii")
                waiting += map(int, children.split())
        except OSError:
            pass  # it has ended, or there is no /proc
    return pids


def _pss_bytes(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0
