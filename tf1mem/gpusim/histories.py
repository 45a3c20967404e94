"""What each process did on each GPU, read off a trace: what the summary and the plot are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, Mapping

from tf1mem.gpusim.machine import ENDED, KILLED, RUNNING, State, Usage
from tf1mem.gpusim.trace import Event


@dataclass
class Process:
    """One process of a simulation.

    Attributes:
        pid: Its number.
        started: When it started the driver, in seconds since 1970.
        command: Its command line, or "" where the trace doesn't say.
        state: "running", "ended", or "killed": gone without having said so.
    """

    pid: int
    started: float
    command: str = ""
    state: str = RUNNING


@dataclass
class Refusal:
    """An allocation that was refused.

    Attributes:
        time: Seconds since 1970.
        bytes: How much was asked for.
        free: How much was left.
        where: The program's line that asked for it, or None.
    """

    time: float
    bytes: int
    free: int
    where: str | None


@dataclass
class History:
    """One process on one GPU.

    Attributes:
        process: The process.
        gpu: The GPU's number on the machine.
        where: The program's line that started the GPU, or None where it isn't known.
        call: What that line called, or None.
        regions: How many allocations it made.
        reserved: What it holds, or held at its end, in bytes.
        peak: The most that it held at any time, in bytes.
        refused: How many allocations were refused.
        launches: How many kernels it launched, or None while it runs.
        computed: How many of these belong to an op that was computed.
        managed_peak: The most managed memory that it had at any time, in bytes. It takes nothing of the GPU.
        steps: When it came to hold how many bytes, in the order of time.
        managed_steps: The same of its managed memory.
        refusals: The allocations that were refused.
    """

    process: Process
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


@dataclass
class OpHistory:
    """A kind of op, of all processes that have come to their end.

    Attributes:
        launches: How many kernels it launched.
        computed: How many of these were computed.
    """

    launches: int = 0
    computed: int = 0


@dataclass(frozen=True)
class Histories:
    """All that a trace and the accounts tell.

    Attributes:
        processes: Every process that started the driver, in the order in which they did.
        shares: What each did on each GPU that it used, in the order in which they came to it.
        unsupported: What was asked for and the simulator doesn't have: (library, function), each once.
        not_computed: The ops that were launched and not computed, each once.
        ops: By the kind of op, what was launched and computed of it.
        cut: The trace could not be written to its end: what came after is told by the accounts alone.
        strays: Processes that used TensorFlow and not the simulated GPUs, since they had left the simulation.
    """

    processes: tuple[Process, ...]
    shares: tuple[History, ...]
    unsupported: tuple[tuple[str, str], ...]
    not_computed: tuple[str, ...] = ()
    ops: Mapping[str, OpHistory] = field(default_factory=dict)
    cut: bool = False
    strays: tuple[Process, ...] = ()


def histories(events: Iterable[Event], machine: State | None = None) -> Histories:
    """Reads what happened off a trace.

    Args:
        events: The trace.
        machine: What the machine's accounts say: of processes that still run, whose launches the trace has only when
            they end, and of all that came after it was cut.
    """
    processes: list[Process] = []
    current: dict[int, Process] = {}
    shares: dict[tuple[int, int], History] = {}
    told: list[History] = []
    unsupported: dict[tuple[str, str], None] = {}
    not_computed: dict[str, None] = {}
    ops: dict[str, OpHistory] = {}
    last = 0.0
    for event in events:
        last = event.time
        process = current.get(event.pid)
        # A number that starts again is another process: the first was replaced by exec, or is gone.
        if process is None or event.event == "start":
            process = current[event.pid] = Process(event.pid, event.time, event.command or "")
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
                told.append(share)
            _tell(share, event)
    untold = list(told)
    for usage in () if machine is None else machine.accounts:
        # By their order, where programs followed each other in one process.
        share = next((it for it in untold if (it.process.pid, it.gpu) == (usage.pid, usage.gpu)), None)
        if share is not None:
            untold.remove(share)
        else:
            process = current.get(usage.pid)
            if process is None or process.state != RUNNING:
                process = current[usage.pid] = Process(usage.pid, last)
                processes.append(process)
            share = History(process, usage.gpu)
            told.append(share)
        _take(share, usage)
    cut = machine is not None and machine.trace_cut
    return Histories(tuple(processes), tuple(told), tuple(unsupported), tuple(not_computed), ops, cut)


def _take(share: History, usage: Usage) -> None:
    share.regions, share.reserved, share.peak = usage.regions, usage.reserved, usage.peak
    share.refused, share.launches, share.computed = usage.refused, usage.launches, usage.computed
    if share.process.state == RUNNING:
        share.process.state = usage.state


def _end(share: History, time: float) -> None:
    if share.process.state == RUNNING:
        share.process.state = KILLED
    for steps in (share.steps, share.managed_steps):
        if steps and steps[-1][1]:
            steps.append((time, 0))


def _tell(share: History, event: Event) -> None:
    what = event.event
    if what == "context":
        share.where, share.call = event.where, event.call
    elif what in ("reserve", "free"):
        assert event.total is not None
        share.regions += what == "reserve"
        share.reserved = event.total
        share.peak = max(share.peak, event.total)
        share.steps.append((event.time, event.total))
        if event.managed is not None:
            share.managed_peak = max(share.managed_peak, event.managed)
            share.managed_steps.append((event.time, event.managed))
    elif what == "refuse":
        assert event.bytes is not None
        assert event.free is not None
        share.refused += 1
        share.refusals.append(Refusal(event.time, event.bytes, event.free, event.where))
    elif what in ("exit", "killed"):
        # The driver's own count, which holds what happened while the trace could not be written too.
        assert event.regions is not None
        assert event.reserved is not None
        assert event.peak is not None
        assert event.refused is not None
        share.regions, share.reserved, share.peak = event.regions, event.reserved, event.peak
        share.refused, share.launches, share.computed = event.refused, event.launches, event.computed or 0
        share.process.state = ENDED if what == "exit" else KILLED
        _end(share, event.time)
