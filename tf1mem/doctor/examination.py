"""The doctor's two examinations: of the environment, and of a script that it runs."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Sequence

from tf1mem.doctor import checkup, judges
from tf1mem.doctor.finding import Finding
from tf1mem.doctor.patches import Patch, patches
from tf1mem.doctor.watch.watching import Run, run

if TYPE_CHECKING:
    from tf1mem.gpusim.gpus import SimulatedGpu


@dataclass(frozen=True)
class Examination:
    """The doctor's results for a script.

    Attributes:
        script: the script as named on the command line.
        with_tf1mem: True if it ran as under `tf1mem run`.
        run: the finished run.
        findings: findings in the order of the report.
        patches: changes that would fix the findings.
    """

    script: str
    with_tf1mem: bool
    run: Run
    findings: Sequence[Finding]
    patches: Sequence[Patch]

    def in_use(self) -> dict[str, Any]:
        """Returns the memory that TensorFlow's allocators reported at the end, by logical GPU; empty if unavailable."""
        end = self.run.record.last("end")
        memory: dict[str, Any] = end["memory"] if end else {}
        return memory


def examine_environment(show_step: Callable[[str], None]) -> tuple[checkup.Checkup, list[Finding]]:
    """Examines the installation and the environment, and returns the checkup with its findings.

    Args:
        show_step: called with a line of text before each slow step.
    """
    facts = checkup.look(show_step)
    return facts, judges.of_machine(facts)


def examine_script(
    arguments: Sequence[str], gpus: Sequence[SimulatedGpu] = (), with_tf1mem: bool = False, quiet_stdout: bool = False
) -> Examination:
    """Runs a script and examines what happens to its GPU settings.

    Args:
        arguments: script and its arguments, or "-m", a module and its arguments.
        gpus: simulated GPUs to run on; empty for the machine's own.
        with_tf1mem: True to run it as `tf1mem run` does.
        quiet_stdout: True to send its stdout to stderr.

    Raises:
        SimulatorNotBuiltError, SimulationError: the simulated GPUs cannot be created.
    """
    is_module = arguments[0] == "-m"
    script = arguments[1] if is_module else arguments[0]
    ran = run(arguments, gpus, with_tf1mem, quiet_stdout)
    named = "-m " + script if is_module else shlex.quote(script) if os.name == "posix" else script
    findings = judges.of_script(ran.record, named, ran.status)
    return Examination(script, with_tf1mem, ran, findings, patches(findings, script))
