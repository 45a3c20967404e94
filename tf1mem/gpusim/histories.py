"""The history of each process on each GPU, from a trace, for the summary and the plot."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, Mapping

from tf1mem.gpusim.machine import ENDED, KILLED, RUNNING, State, Usage
from tf1mem.gpusim.trace import Event


@dataclass
class ProcessHistory:
    """One process of a simulation.

    Attributes:
        pid: The process id.
        started: The time when the process started the driver, in seconds since 1970.
        command: The command line, or "" if the trace doesn't have it.
        state: "running", "ended", or "killed" for a process that is gone without having closed the driver.
    """

    pid: int
    started: float
    command: str = ""
    state: str = RUNNING


@dataclass
class Refusal:
    """An allocation that was refused.

    Attributes:
        time: The time in seconds since 1970.
        bytes: The size of the request.
        free: The free bytes on the GPU.
        where: The program's line that made the request, or None.
    """

    time: float
    bytes: int
    free: int
    where: str | None


@dataclass
class Requests:
    """The allocations that one line of the program requested.

    Attributes:
        regions: The number of allocations that succeeded.
        bytes: Their sizes, added up.
        largest: The largest size in bytes.
    """

    regions: int = 0
    bytes: int = 0
    largest: int = 0


@dataclass
class History:
    """One process on one GPU.

    Attributes:
        process: The process.
        gpu: The GPU's number on the machine.
        where: The program's line that started the GPU, or None if it isn't known.
        call: The function that this line called, or None.
        regions: The number of allocations.
        reserved: The bytes that the process holds, or held at its end.
        peak: The most bytes that the process held at any time.
        refused: The number of refused allocations.
        launches: The number of kernels launched; None if neither the trace nor the accounts have it.
        computed: The number of these launches whose values were computed.
        managed_peak: The most managed memory at any time, in bytes. Managed memory takes none of the GPU's memory.
        steps: The times in seconds since 1970 and the bytes held from then on, in order.
        managed_steps: The steps of managed memory, in the same form.
        refusals: The refused allocations.
        requests: The program's line, or None where it isn't known -> its allocations of the GPU's memory.
    """

    process: ProcessHistory
    gpu: int
    where: str | None = None
    call: str | None = None
    regions: int = 0
    reserved: int = 0
    peak: int = 0
    refused: int = 0
    launches: int | None = None
    computed: int = 0
    managed_peak: int = 0
    steps: list[tuple[float, int]] = field(default_factory=list)
    managed_steps: list[tuple[float, int]] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    requests: dict[str | None, Requests] = field(default_factory=dict)


@dataclass
class OpHistory:
    """A kind of op in all processes that have ended.

    Attributes:
        launches: The number of kernels launched.
        computed: The number of these kernels whose values were computed.
    """

    launches: int = 0
    computed: int = 0


@dataclass(frozen=True)
class Histories:
    """The contents of a trace and of the machine's accounts, by process and GPU.

    Attributes:
        processes: Every process that started the driver, in the order of their starts.
        shares: The history of each process on each GPU that it used, in the order of first use.
        unsupported: Called functions that the simulator lacks: (library, function), each once.
        not_computed: The ops that were launched and not computed, each once.
        ops: Kind of op -> its launches.
        cut: True if the trace could not be written to its end; what came later is from the accounts alone.
        strays: Processes that used TensorFlow but not the simulated GPUs, since they had left the simulation.
    """

    processes: tuple[ProcessHistory, ...]
    shares: tuple[History, ...]
    unsupported: tuple[tuple[str, str], ...]
    not_computed: tuple[str, ...] = ()
    ops: Mapping[str, OpHistory] = field(default_factory=dict)
    cut: bool = False
    strays: tuple[ProcessHistory, ...] = ()


def histories(events: Iterable[Event], machine: State | None = None) -> Histories:
    """Returns the histories of all processes in a trace.

    Args:
        events: The trace's events.
        machine: The machine's accounts, or None. They include the launches of processes that still run, which get into
            the trace only when a process ends, and everything after the trace was cut.
    """
    processes: list[ProcessHistory] = []
    current: dict[int, ProcessHistory] = {}
    shares: dict[tuple[int, int], History] = {}
    listed: list[History] = []
    unsupported: dict[tuple[str, str], None] = {}
    not_computed: dict[str, None] = {}
    ops: dict[str, OpHistory] = {}
    last = 0.0
    for event in events:
        last = event.time
        process = current.get(event.pid)
        # A pid that starts again is another process: the first was replaced by exec, or is gone.
        if process is None or event.event == "start":
            process = current[event.pid] = ProcessHistory(event.pid, event.time, event.command or "")
            processes.append(process)
            for key in [key for key in shares if key[0] == event.pid]:
                _end(shares.pop(key), event.time)
        if event.event == "unsupported":
            unsupported[event.library or "", event.function or ""] = None
        elif event.event == "not_computed":
            not_computed[event.op or ""] = None
        elif event.event == "op":
            op = ops.setdefault(event.op or "", OpHistory())
            op.launches += event.launches or 0
            op.computed += event.computed or 0
        elif event.gpu is not None:
            share = shares.get((event.pid, event.gpu))
            if share is None:
                share = shares[event.pid, event.gpu] = History(process, event.gpu)
                listed.append(share)
            _add_event(share, event)
    unmatched = list(listed)
    for usage in () if machine is None else machine.accounts:
        # In order, since several programs may have followed each other in one process.
        share = next((it for it in unmatched if (it.process.pid, it.gpu) == (usage.pid, usage.gpu)), None)
        if share is not None:
            unmatched.remove(share)
        else:
            process = current.get(usage.pid)
            if process is None or process.state != RUNNING:
                process = current[usage.pid] = ProcessHistory(usage.pid, last)
                processes.append(process)
            share = History(process, usage.gpu)
            listed.append(share)
        _set_from_account(share, usage)
    cut = machine is not None and machine.trace_cut
    return Histories(tuple(processes), tuple(listed), tuple(unsupported), tuple(not_computed), ops, cut)


def _set_from_account(share: History, usage: Usage) -> None:
    """Sets the figures of a history to those of the machine's account."""
    share.regions, share.reserved, share.peak = usage.regions, usage.reserved, usage.peak
    share.refused, share.launches, share.computed = usage.refused, usage.launches, usage.computed
    if share.process.state == RUNNING:
        share.process.state = usage.state


def _end(share: History, time: float) -> None:
    """Ends a history: the process holds nothing from this time on."""
    if share.process.state == RUNNING:
        share.process.state = KILLED
    for steps in (share.steps, share.managed_steps):
        if steps and steps[-1][1]:
            steps.append((time, 0))


def _add_event(share: History, event: Event) -> None:
    """Adds an event of the trace to the history of its process on its GPU."""
    kind = event.event
    if kind == "context":
        share.where, share.call = event.where, event.call
    elif kind in ("reserve", "free"):
        assert event.total is not None
        is_region = kind == "reserve" and event.kind != "context"
        share.regions += is_region
        share.reserved = event.total
        share.peak = max(share.peak, event.total)
        share.steps.append((event.time, event.total))
        if event.managed is not None:
            share.managed_peak = max(share.managed_peak, event.managed)
            share.managed_steps.append((event.time, event.managed))
        elif is_region:
            requests = share.requests.setdefault(event.where, Requests())
            requests.regions += 1
            requests.bytes += event.bytes or 0
            requests.largest = max(requests.largest, event.bytes or 0)
    elif kind == "refuse":
        assert event.bytes is not None
        assert event.free is not None
        share.refused += 1
        share.refusals.append(Refusal(event.time, event.bytes, event.free, event.where))
    elif kind in ("exit", "killed"):
        # The driver's own counts also include events that could not be written to the trace.
        assert event.regions is not None
        assert event.reserved is not None
        assert event.peak is not None
        assert event.refused is not None
        share.regions, share.reserved, share.peak = event.regions, event.reserved, event.peak
        share.refused, share.launches, share.computed = event.refused, event.launches, event.computed or 0
        share.process.state = ENDED if kind == "exit" else KILLED
        _end(share, event.time)
