"""Setting up a machine with simulated GPUs, for the processes that are started under it."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping

from tf1mem.errors import SimulationError
from tf1mem.gpusim.gpus import Asked, SimulatedGpu, Used, lineup
from tf1mem.machine import folders

if TYPE_CHECKING:
    from tf1mem.gpusim.histories import Histories

MACHINE = "TF1MEM_SIM_MACHINE"
TRACE = "TF1MEM_SIM_TRACE"
VALUES = "TF1MEM_SIM_VALUES"
NO_VALUES = "TF1MEM_SIM_NO_VALUES"
LIBRARY_PATH = "LD_LIBRARY_PATH"


@dataclass(frozen=True)
class Simulation:
    """A machine with simulated GPUs, while it lasts.

    Attributes:
        gpus: Its GPUs, in their order.
        machine: The file that its processes share.
        trace: The file that they write, or None.
        environment: The variables that put a process on it: `dict(os.environ, **simulation.environment)`. They name
            everything that a process needs, and are inherited by the processes that it starts.
    """

    gpus: tuple[SimulatedGpu, ...]
    machine: Path
    trace: Path | None
    environment: Mapping[str, str]

    @property
    def why_no_values(self) -> str:
        """Why nothing was computed for a process that wanted it where it can be; empty where there was none."""
        from tf1mem.gpusim.values import WHY_NOT

        file = self.machine.with_name(WHY_NOT)
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def reap(self) -> None:
        """Gives back what processes hold that are gone, and writes a "killed" line for each into the trace.

        The next process to ask for memory does so too; this is for looking at the trace before there is one.
        """
        from tf1mem.gpusim.machine import reap

        reap(self.machine, self.trace)

    def histories(self) -> Histories:
        """What its processes have done so far, by the trace, if there is one, and the machine's accounts.

        Raises:
            SimulationError, TraceError: The machine or the trace can't be read.
        """
        from tf1mem.gpusim.histories import histories
        from tf1mem.gpusim.machine import read
        from tf1mem.gpusim.trace import events

        self.reap()
        state = read(self.machine)
        return histories(() if self.trace is None else events(self.trace, state.trace_cut), state)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is there for as long as the context lasts. Those that a killed simulation left are removed.

    Raises:
        SimulationError: None can be made.
    """
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(folders.temporary("tf1mem-sim-"))
        except OSError as error:
            raise SimulationError(
                "simulated GPUs",
                f"need a temporary folder, and none can be made ({error})",
                "Set TMPDIR to a folder that can be written",
            ) from error
        yield folder


@contextmanager
def simulation(gpus: Asked, trace: Any = None, used: Used = None, values: bool | None = None) -> Iterator[Simulation]:
    """A machine with simulated GPUs, for as long as the context lasts.

    Processes that are still on it at the end keep what they have; no other process can join them.

    Args:
        gpus: How many GPUs of the default kind (16 GiB), or the GPUs: `SimulatedGpu`s, or text such as "8GiB".
        trace: The file to write the trace to; what it held is gone. None for no trace.
        used: What others have taken of each GPU from the start, in bytes or as text such as "6GiB": one for all, or a
            list with one for each.
        values: Whether TensorFlow's CPU kernels compute what the GPUs' would. None: where what does it can be built;
            elsewhere a line on stderr says what that needs. False: shapes and counters alone are, where that can be.

    Yields:
        The machine.

    Raises:
        SimulationError: No machine could have such GPUs, or the trace or the temporary folder can't be written.
        SimulatorNotBuiltError: The simulator can't be compiled here, or values are required and there is no C++
            compiler.
    """
    placed = lineup(gpus, used)
    from tf1mem.gpusim.build import library_folder

    libraries = library_folder()
    # The simulator looks at these by name wherever a process may have gone.
    trace = None if trace is None else Path(os.path.abspath(os.fsdecode(trace)))
    with temporary_folder() as folder:
        from tf1mem.gpusim import machine

        file = folder / "machine"
        machine.create(file, placed)
        if trace is not None:
            _empty(trace)
        from tf1mem.gpusim.values import write_script

        script = write_script(folder, values)
        environment = _environment(file, trace, libraries, script, values is False)
        made = Simulation(placed, file, trace, environment)
        try:
            yield made
        finally:
            if file.exists():  # a program may have cleared the temporary folder
                made.reap()


def _environment(machine: Path, trace: Path | None, libraries: Path, values: Path, no_values: bool) -> dict[str, str]:
    inherited = [folder for folder in os.environ.get(LIBRARY_PATH, "").split(os.pathsep) if folder]
    return {
        MACHINE: str(machine),
        # Empty is as good as absent, and takes the place of what another simulation may have set.
        TRACE: "" if trace is None else str(trace),
        VALUES: str(values),
        NO_VALUES: "1" if no_values else "",
        LIBRARY_PATH: os.pathsep.join([str(libraries), *(it for it in inherited if it != str(libraries))]),
        # TensorFlow 1.15 and 2.0 crash in eager mode where a sum finds no room on the GPU: without this, silently.
        "PYTHONFAULTHANDLER": os.environ.get("PYTHONFAULTHANDLER", "1"),
        # Between processes NCCL takes CUDA's shared memory where it may, which isn't simulated (cudaIpcGetMemHandle).
        "NCCL_P2P_DISABLE": os.environ.get("NCCL_P2P_DISABLE", "1"),
    }


def _empty(trace: Path) -> None:
    try:
        trace.write_bytes(b"")
    except OSError as error:
        raise SimulationError(
            f"the trace {trace}", f"can't be written ({error.strerror})", "Name a file that can"
        ) from error
