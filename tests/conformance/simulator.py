"""The simulated GPUs that a case runs on: a machine for each case, and the trace of its allocations."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Sequence

from tf1mem.gpusim import build, launching, trace
from tf1mem.gpusim.gpus import SimulatedGpu


def library_path() -> str:
    """Returns the folder that must be first in LD_LIBRARY_PATH when a process starts.

    The other variables of a simulation are read later, when the process starts CUDA.
    """
    return str(build.library_folder())


@contextmanager
def machine(folder: Path, gpus: Sequence[int], values: bool = False) -> Iterator[dict[str, str]]:
    """Simulates a machine with GPUs; yields the environment variables of a process on it.

    Args:
        folder: The folder for the trace.
        gpus: The size of each GPU, in bytes.
        values: True if the GPUs compute values.
    """
    sizes = [SimulatedGpu(total_bytes=size) for size in gpus]
    with launching.simulation(sizes, trace=_trace(folder), values=values) as simulated:
        yield dict(simulated.environment)


class Trace:
    """The trace of one case.

    Args:
        folder: The folder in which it ran.
    """

    def __init__(self, folder: Path) -> None:
        self._text = _trace(folder).read_bytes()

    def between(self, begin: int, end: int) -> Iterator[trace.Event]:
        """Returns the events that were written while the trace grew from one size to another, in bytes."""
        return trace.parse(self._text[begin:end].splitlines(keepends=True))


def _trace(folder: Path) -> Path:
    return folder / "trace.jsonl"
