"""The two questions that the doctor answers: what is here, and what does this script do."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Iterator, Sequence

from tf1mem.doctor import checkup as checking
from tf1mem.doctor.findings import Finding, worst_first
from tf1mem.doctor.judging import endings, environment, growth, lateness, placement, tf1mem_says
from tf1mem.doctor.mending import mends
from tf1mem.doctor.running import Ran, run
from tf1mem.doctor.telling_run import Report

if TYPE_CHECKING:
    from tf1mem.gpusim.gpus import SimulatedGpu


def examine_environment() -> tuple[checking.Checkup, list[Finding]]:
    """What is installed and in force, and what is wrong with it."""
    found = checking.look()
    return found, worst_first(environment.findings(found))


def examine_script(
    arguments: Sequence[str],
    gpus: Sequence[SimulatedGpu] = (),
    with_tf1mem: bool = False,
    quiet_stdout: bool = False,
) -> Report:
    """What a script does with its GPU settings: runs it.

    Args:
        arguments: The script and its arguments, or "-m", a module and its arguments.
        gpus: The simulated GPUs to run on; none for the machine's own.
        with_tf1mem: Run it as `tf1mem run` does.
        quiet_stdout: What it prints goes to stderr.
    """
    script = arguments[1] if arguments[0] == "-m" else arguments[0]
    named = shlex.quote(script) if os.name == "posix" else script
    ran = run(arguments, gpus, with_tf1mem, quiet_stdout)
    findings = worst_first(_of_script(ran, " ".join(arguments[:2]) if arguments[0] == "-m" else named))
    return Report(script, with_tf1mem, ran, findings, mends(findings, script))


def _of_script(ran: Ran, script: str) -> Iterator[Finding]:
    yield from endings.findings(ran.seen, script, ran.status)
    yield from lateness.findings(ran.seen)
    yield from growth.findings(ran.seen)
    yield from placement.findings(ran.seen)
    yield from tf1mem_says.findings(ran.seen)
