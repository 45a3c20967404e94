"""The simulated GPUs of this process, with the memory reserved on them, for a test's assertions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tf1mem.errors import SimulationError
from tf1mem.gpusim.gpus import SimulatedGpu, parse_amount
from tf1mem.gpusim.launching import MACHINE, TRACE
from tf1mem.gpusim.machine import State, read
from tf1mem.gpusim.trace import Event, events
from tf1mem.settings.units import exactly, size


class Size(int):
    """A number of bytes that can be compared with text, too: `gpu.peak <= "2GiB"`."""

    def __repr__(self) -> str:
        return exactly(self)

    __hash__ = int.__hash__

    def __lt__(self, other: Any) -> bool:
        return bool(int(self) < _number(other))

    def __le__(self, other: Any) -> bool:
        return bool(int(self) <= _number(other))

    def __eq__(self, other: object) -> bool:
        return bool(int(self) == _number(other))

    def __ne__(self, other: object) -> bool:
        return bool(int(self) != _number(other))

    def __gt__(self, other: Any) -> bool:
        return bool(int(self) > _number(other))

    def __ge__(self, other: Any) -> bool:
        return bool(int(self) >= _number(other))


def _number(other: Any) -> Any:
    return parse_amount(other) if isinstance(other, str) else other


@dataclass(frozen=True)
class MeasuredGpu:
    """A simulated GPU, with the memory that all processes of its machine have reserved so far.

    Attributes:
        number: The GPU's number on the machine.
        kind: The GPU's description.
    """

    number: int
    kind: SimulatedGpu
    _machine: Path
    _trace: Path

    def __repr__(self) -> str:
        return f"<simulated GPU {self.number}, {size(self.kind.total_bytes)}>"

    @property
    def total(self) -> Size:
        """The GPU's memory, in bytes."""
        return Size(self.kind.total_bytes)

    @property
    def reserved(self) -> Size:
        """The bytes reserved now, without those that others use from the start."""
        return Size(self._state().in_use[self.number] - self.kind.used_bytes)

    @property
    def peak(self) -> Size:
        """The most bytes reserved at any time, without those that others use from the start."""
        held = [event.in_use for event in self._events() if event.in_use is not None]
        return Size(max(held, default=self.kind.used_bytes) - self.kind.used_bytes)

    @property
    def regions(self) -> int:
        """The number of allocations, without CUDA's contexts."""
        return sum(event.event == "reserve" and event.kind != "context" for event in self._events())

    @property
    def refused(self) -> int:
        """The number of allocations refused for lack of memory."""
        return sum(event.event == "refuse" for event in self._events())

    def _state(self) -> State:
        return read(self._machine)

    def _events(self) -> list[Event]:
        """Returns the trace's events on this GPU.

        Raises:
            SimulationError: The trace is cut.
        """
        if self._state().trace_cut:
            raise SimulationError(
                f"what was reserved of simulated GPU {self.number}",
                "is not known: a line of the trace could not be written",
                "Make room in the folder for temporary files, or set TMPDIR to another",
            )
        return [event for event in events(self._trace) if event.gpu == self.number]


def own_gpus() -> tuple[MeasuredGpu, ...]:
    """Returns the GPUs of this process's machine, which must write a trace."""
    machine, trace = Path(os.environ[MACHINE]), Path(os.environ[TRACE])
    return tuple(MeasuredGpu(number, kind, machine, trace) for number, kind in enumerate(read(machine).gpus))
