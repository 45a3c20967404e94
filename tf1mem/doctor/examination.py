"""The two questions that the doctor answers: what is here, and what does this script do."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Sequence

from tf1mem.doctor import checkup, judges
from tf1mem.doctor.finding import Finding
from tf1mem.doctor.mends import Mend, mends
from tf1mem.doctor.watch.run import Run, run

if TYPE_CHECKING:
    from tf1mem.gpusim.gpus import SimulatedGpu


@dataclass(frozen=True)
class Examination:
    """All that the doctor says of a script.

    Attributes:
        script: The script, as it was named.
        with_tf1mem: Whether it ran as `tf1mem run` runs it.
        run: What came of it.
        findings: What was found, in the order to tell it.
        mends: The changes that would mend it.
    """

    script: str
    with_tf1mem: bool
    run: Run
    findings: Sequence[Finding]
    mends: Sequence[Mend]

    def in_use(self) -> dict[str, Any]:
        """What TensorFlow's allocators said at the end, by logical GPU; empty where it has no way to say."""
        end = self.run.record.last("end")
        memory: dict[str, Any] = end["memory"] if end else {}
        return memory


def examine_environment(begun: Callable[[str], None]) -> tuple[checkup.Checkup, list[Finding]]:
    """What is installed and in force, and what is wrong with it.

    Args:
        begun: Told what takes its time, as it begins.
    """
    found = checkup.look(begun)
    return found, judges.of_machine(found)


def examine_script(
    arguments: Sequence[str], gpus: Sequence[SimulatedGpu] = (), with_tf1mem: bool = False, quiet_stdout: bool = False
) -> Examination:
    """What a script does with its GPU settings: runs it.

    Args:
        arguments: The script and its arguments, or "-m", a module and its arguments.
        gpus: The simulated GPUs to run on; none for the machine's own.
        with_tf1mem: Run it as `tf1mem run` does.
        quiet_stdout: What it prints goes to stderr.

    Raises:
        SimulatorNotBuiltError, SimulationError: The simulated GPUs can't be made.
    """
    is_module = arguments[0] == "-m"
    script = arguments[1] if is_module else arguments[0]
    ran = run(arguments, gpus, with_tf1mem, quiet_stdout)
    named = "-m " + script if is_module else shlex.quote(script) if os.name == "posix" else script
    findings = judges.of_script(ran.record, named, ran.status)
    return Examination(script, with_tf1mem, ran, findings, mends(findings, script))
