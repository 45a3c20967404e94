"""Runs a script unchanged and watched, by Python itself, on real or simulated GPUs."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Sequence

from tf1mem.doctor.checkup import variables
from tf1mem.doctor.watch import record
from tf1mem.machine import child, folders

if TYPE_CHECKING:
    from tf1mem.gpusim.gpus import SimulatedGpu
    from tf1mem.gpusim.histories import Histories

# Prepends the folder that the command `tf1mem` would have first in sys.path, because `run` removes the first entry.
_TF1MEM = (
    "import os; sys.path.insert(0, os.path.dirname(sys.executable)); from tf1mem.__main__ import main; sys.exit(main())"
)
_WITHIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "within")


@dataclass(frozen=True)
class Run:
    """The result of running a script.

    Attributes:
        status: exit status, or the negative number of the signal that ended it.
        record: record of its process.
        gpus: simulated GPUs that it ran on; empty for real ones.
        histories: histories of those GPUs, with its children's work, or None.
    """

    status: int
    record: record.Record
    gpus: tuple[SimulatedGpu, ...] = ()
    histories: Histories | None = None


def run(
    arguments: Sequence[str], gpus: Sequence[SimulatedGpu] = (), with_tf1mem: bool = False, quiet_stdout: bool = False
) -> Run:
    """Runs a script to its end.

    Args:
        arguments: script and its arguments, or "-m", a module and its arguments.
        gpus: simulated GPUs to run on; empty for the machine's own.
        with_tf1mem: True to run it as `tf1mem run` does.
        quiet_stdout: True to send its stdout to stderr.

    Raises:
        SimulatorNotBuiltError, SimulationError: the simulated GPUs cannot be created.
    """
    command = [*(child.python(_TF1MEM, "run") if with_tf1mem else [sys.executable]), *arguments]
    with ExitStack() as stack:
        if sys.platform == "linux":
            from tf1mem.gpusim import commands

            blocked: Any = stack.enter_context(commands.signals_held())
        folder = stack.enter_context(folders.temporary("tf1mem-doctor-"))
        path, trace = os.path.join(folder, "record.jsonl"), os.path.join(folder, "trace.jsonl")
        Path(path).touch()
        environment = dict(os.environ)
        machine = None
        if gpus:
            from tf1mem.gpusim.launching import simulation

            machine = stack.enter_context(simulation(gpus, trace))
            environment.update(machine.environment)
        before = environment.get("PYTHONPATH", "")
        environment["TF1MEM_DOCTOR_PYTHONPATH"] = before
        environment["TF1MEM_DOCTOR_RECORD"] = path
        environment["TF1MEM_DOCTOR_VARIABLES"] = " ".join(variables.names())
        environment["PYTHONPATH"] = os.pathsep.join([_WITHIN, before] if before else [_WITHIN])
        if quiet_stdout:
            stack.enter_context(_stdout_to_stderr())
        if sys.platform == "linux":
            status = commands.run(command, environment, blocked)
        else:
            status = _call(command, environment)
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                script_record = record.read(file)
        except FileNotFoundError:  # a program may have cleared the temporary folder
            script_record = record.Record()
        histories = None
        if machine is not None and machine.machine.exists() and os.path.exists(trace):
            histories = machine.histories()
        return Run(status, script_record, tuple(gpus), histories)


def _call(command: Sequence[str], environment: dict[str, str]) -> int:
    process = subprocess.Popen(command, env=environment)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue  # the terminal sent it to the script too


@contextmanager
def _stdout_to_stderr() -> Iterator[None]:
    sys.stdout.flush()
    saved = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(saved, 1)
        os.close(saved)
