"""Sets up a machine with simulated GPUs for processes that are started on it."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping

from tf1mem.errors import SimulationError
from tf1mem.gpusim.gpus import Gpus, SimulatedGpu, Sizes, lineup
from tf1mem.machine import folders

if TYPE_CHECKING:
    from tf1mem.gpusim.histories import Histories

MACHINE = "TF1MEM_SIM_MACHINE"
TRACE = "TF1MEM_SIM_TRACE"
VALUES = "TF1MEM_SIM_VALUES"
NO_VALUES = "TF1MEM_SIM_NO_VALUES"
CUDNN_WORKSPACE = "TF1MEM_SIM_CUDNN_WORKSPACE"
LIBRARY_PATH = "LD_LIBRARY_PATH"
PATH = "PATH"


@dataclass(frozen=True)
class Simulation:
    """A machine with simulated GPUs, while it lasts.

    Attributes:
        gpus: The machine's GPUs, in order.
        machine: The file that the machine's processes share.
        trace: The file that they write the trace to, or None.
        environment: The variables that put a process on the machine: `dict(os.environ, **simulation.environment)`.
            They name everything that a process needs, and its children inherit them.
    """

    gpus: tuple[SimulatedGpu, ...]
    machine: Path
    trace: Path | None
    environment: Mapping[str, str]

    @property
    def why_no_values(self) -> str:
        """The reason why values couldn't be computed for a process that wanted them, or ""."""
        from tf1mem.gpusim.values_library import WHY_NOT

        file = self.machine.with_name(WHY_NOT)
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def reap(self) -> None:
        """Frees the memory of processes that are gone, and writes a "killed" line for each to the trace.

        The next process that allocates memory does so, too; call this to read the trace before that.
        """
        from tf1mem.gpusim.machine import reap

        reap(self.machine, self.trace)

    def histories(self) -> Histories:
        """Returns the histories of the machine's processes so far, from the machine's accounts and the trace, if any.

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
    """Creates a folder that exists as long as the context, after removing those of killed simulations.

    Raises:
        SimulationError: The folder can't be created.
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
def simulation(
    gpus: Gpus,
    trace: Any = None,
    used: Sizes = None,
    values: bool | None = None,
    *,
    context: Sizes = None,
    cudnn_workspace: bool = False,
) -> Iterator[Simulation]:
    """Creates a machine with simulated GPUs that exists as long as the context.

    Processes that still run at the end keep their memory; no other process can join them.

    Args:
        gpus: The number of default GPUs (16 GiB each), or the GPUs: `SimulatedGpu`s, or text such as "8GiB".
        trace: The file to write the trace to, which is overwritten; None for no trace.
        used: The memory in use on each GPU from the start, in bytes or as text such as "6GiB": one for all GPUs, or a
            list with one per GPU.
        values: True to compute the GPU ops' values by TensorFlow's CPU kernels. None to do so if the library for it
            can be built; otherwise a line on stderr says what that needs. False to compute only shapes and counters,
            if possible.
        context: The memory that each process's CUDA context takes, in the same forms as `used`. By default the GPUs'
            own, which is none unless they say so.
        cudnn_workspace: True to let convolutions with filters above 1x1 have a faster algorithm with a workspace,
            computed from the shapes as `tf1mem estimate` does, beside the one without.

    Yields:
        The machine.

    Raises:
        SimulationError: No machine can have such GPUs, or the trace or the temporary folder can't be written.
        SimulatorNotBuiltError: The simulator can't be compiled here, or `values` is True and there is no C++ compiler.
    """
    placed = lineup(gpus, used, context)
    from tf1mem.gpusim.build import library_folder

    libraries = library_folder()
    # An absolute path, since the simulator opens the trace in processes that may have changed their folder.
    trace = None if trace is None else Path(os.path.abspath(os.fsdecode(trace)))
    with temporary_folder() as folder:
        from tf1mem.gpusim import machine

        file = folder / "machine"
        machine.create(file, placed)
        if trace is not None:
            _empty(trace)
        from tf1mem.gpusim import nvidia_smi
        from tf1mem.gpusim.values_library import write_script

        script = write_script(folder, values)
        environment = _environment(file, trace, libraries, script, values is False)
        environment[CUDNN_WORKSPACE] = "computed" if cudnn_workspace else ""
        commands = str(nvidia_smi.write_command(folder, file))
        environment[PATH] = os.pathsep.join([commands, os.environ.get(PATH, os.defpath)])
        lasting = Simulation(placed, file, trace, environment)
        try:
            yield lasting
        finally:
            if file.exists():  # a program may have cleared the temporary folder
                lasting.reap()


def _environment(machine: Path, trace: Path | None, libraries: Path, values: Path, no_values: bool) -> dict[str, str]:
    """Returns the environment variables by which a process uses the simulated GPUs."""
    inherited = [folder for folder in os.environ.get(LIBRARY_PATH, "").split(os.pathsep) if folder]
    return {
        MACHINE: str(machine),
        # Empty means absent, and overrides the variable of an enclosing simulation.
        TRACE: "" if trace is None else str(trace),
        VALUES: str(values),
        NO_VALUES: "1" if no_values else "",
        LIBRARY_PATH: os.pathsep.join([str(libraries), *(it for it in inherited if it != str(libraries))]),
        # In eager mode TensorFlow 1.15 and 2.0 crash if a sum doesn't fit on the GPU: without this variable, silently.
        "PYTHONFAULTHANDLER": os.environ.get("PYTHONFAULTHANDLER", "1"),
        # Between processes NCCL would use CUDA's shared memory (cudaIpcGetMemHandle), which isn't simulated.
        "NCCL_P2P_DISABLE": os.environ.get("NCCL_P2P_DISABLE", "1"),
    }


def _empty(trace: Path) -> None:
    try:
        trace.write_bytes(b"")
    except OSError as error:
        raise SimulationError(
            f"the trace {trace}", f"can't be written ({error.strerror})", "Name a file that can"
        ) from error
