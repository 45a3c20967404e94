"""The file that all processes of one simulation share: the GPUs, and each process's memory on them.

Python creates it before the first process starts; the simulated driver, runtime and NVML map it. Its layout is defined
in `sources/machine.h`, and repeated here in ctypes.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, NamedTuple, Sequence, Union

from tf1mem.errors import SimulationError
from tf1mem.gpusim.gpus import FIGURES, MOST_GPUS, SimulatedGpu

MAGIC = b"tf1mem machine\n"
LAYOUT = 5
MOST_PROCESSES = 1024

RUNNING = "running"
ENDED = "ended"
KILLED = "killed"
_STATES = (RUNNING, ENDED, KILLED)  # by the number in `ended`

# <pthread.h> of glibc and musl alike
_PTHREAD_PROCESS_SHARED = 1
_PTHREAD_MUTEX_ROBUST = 1

_Path = Union[str, "os.PathLike[str]"]


class MachineGpu(ctypes.Structure):
    """A GPU: `struct machine_gpu` of `sources/machine.h`."""

    _fields_ = [
        ("name", ctypes.c_char * 64),
        ("uuid", ctypes.c_char * 48),
        ("pci_bus_id", ctypes.c_char * 16),
        ("total_bytes", ctypes.c_uint64),
        ("used_by_others_bytes", ctypes.c_uint64),
        ("context_bytes", ctypes.c_uint64),
        ("compute_major", ctypes.c_int32),
        ("compute_minor", ctypes.c_int32),
        ("multiprocessors", ctypes.c_int32),
        ("clock_khz", ctypes.c_int32),
        ("memory_clock_khz", ctypes.c_int32),
        ("memory_bus_bits", ctypes.c_int32),
    ]


class MachineUsage(ctypes.Structure):
    """The account of a process on a GPU: `struct machine_usage` of `sources/machine.h`."""

    _fields_ = [
        (name, ctypes.c_uint64)
        for name in ("reserved", "peak", "managed", "regions", "refused", "launches", "computed", "used")
    ]


class MachineProcess(ctypes.Structure):
    """The record of a process: `struct machine_process` of `sources/machine.h`."""

    _fields_ = [
        ("pid", ctypes.c_int32),
        ("ended", ctypes.c_int32),
        ("start_time", ctypes.c_uint64),
        ("usage", MachineUsage * MOST_GPUS),
    ]


class Machine(ctypes.Structure):
    """The whole file: `struct machine` of `sources/machine.h`."""

    _fields_ = [
        ("magic", ctypes.c_char * 16),
        ("layout", ctypes.c_uint32),
        ("gpu_count", ctypes.c_uint32),
        ("size", ctypes.c_uint64),
        ("lock", ctypes.c_uint64 * 8),
        ("process_count", ctypes.c_uint32),
        ("trace_cut", ctypes.c_uint32),
        ("gpus", MachineGpu * MOST_GPUS),
        ("processes", MachineProcess * MOST_PROCESSES),
    ]


class Usage(NamedTuple):
    """The account of one process on one GPU.

    Attributes:
        pid: The process id.
        state: "running", "ended", or "killed" for a process that is gone without having closed the driver.
        gpu: The GPU's number on the machine.
        reserved: The bytes that the process holds on the GPU, or held at its end: device, pool and virtual memory,
            and its contexts.
        peak: The highest value that `reserved` has had.
        managed: The bytes of managed memory that the process holds, or held at its end. They are not on the GPU.
        regions: The number of allocations; contexts are not counted.
        refused: The number of refused allocations.
        launches: The number of kernels launched.
        computed: The number of these launches that belong to a computed op.
    """

    pid: int
    state: str
    gpu: int
    reserved: int
    peak: int
    managed: int
    regions: int
    refused: int
    launches: int
    computed: int


class State(NamedTuple):
    """A machine at one moment.

    Attributes:
        gpus: The GPUs, as passed to `create`.
        accounts: An account for each of the last 1024 processes and each GPU on which it has had a context.
        in_use: For each GPU the bytes in use: those of all its processes, and those used from the start.
        trace_cut: True if a line of the trace could not be written; no line after it was written, either.
    """

    gpus: tuple[SimulatedGpu, ...]
    accounts: tuple[Usage, ...]
    in_use: tuple[int, ...]
    trace_cut: bool = False

    @property
    def usages(self) -> tuple[Usage, ...]:
        """The accounts of living processes."""
        return tuple(usage for usage in self.accounts if usage.state == RUNNING)


def create(path: _Path, gpus: Sequence[SimulatedGpu]) -> None:
    """Creates the file of a machine on which nothing has run yet.

    Args:
        path: The file, which TF1MEM_SIM_MACHINE names to the simulated processes. An existing file is replaced.
        gpus: 1 to 16 GPUs, as `gpus.lineup` returns them.

    Raises:
        SimulationError: There is no GPU or too many, or the file can't be written.
    """
    if not 0 < len(gpus) <= MOST_GPUS:
        raise SimulationError(f"{len(gpus)} simulated GPUs", f"a machine has 1 to {MOST_GPUS}", "Ask for that many")
    target = Path(path)
    making = target.with_name(f"{target.name}.{os.getpid()}.making")
    try:
        with open(str(making), "w+b") as file:
            os.posix_fallocate(file.fileno(), 0, ctypes.sizeof(Machine))  # a full disk would kill a process later
            _fill(_mapped(file.fileno()), gpus)
        # Renamed when it is complete; a process that has mapped the old file keeps the old one.
        os.replace(str(making), str(target))
    except OSError as error:
        if making.exists():
            making.unlink()
        raise SimulationError(
            f"the machine file {target}",
            f"can't be written ({error.strerror})",
            "Give a path in a folder that can be written",
        ) from None


def read(path: _Path) -> State:
    """Reads the machine's GPUs and accounts.

    Args:
        path: The file that `create` has written.

    Raises:
        SimulationError: The file can't be read, or isn't a machine of this version of tf1mem.
    """
    with _opened(path) as machine, _locked(machine):
        processes, count = _processes(machine), machine.gpu_count
        living = [process for process in processes if _lives(process)]
        return State(
            gpus=tuple(_gpu(machine.gpus[index]) for index in range(count)),
            accounts=tuple(usage for process in processes for usage in _usages(process, count)),
            in_use=tuple(
                machine.gpus[index].used_by_others_bytes + sum(process.usage[index].reserved for process in living)
                for index in range(count)
            ),
            trace_cut=bool(machine.trace_cut),
        )


def reap(path: _Path, trace: _Path | None = None) -> tuple[Usage, ...]:
    """Frees the memory of processes that are gone without having closed the driver: killed, or left by `os._exit`.

    Simulated processes do the same whenever they allocate memory; this is for the end of a simulation.

    Args:
        path: The file that `create` has written.
        trace: The trace, which gets a "killed" line for each such process and GPU, or None. Nothing is added
            to a trace that is cut; if a line can't be written, the trace is cut from then on.

    Returns:
        The accounts of these processes.

    Raises:
        SimulationError: The machine can't be read or written.
    """
    reaped: list[Usage] = []
    with _opened(path) as machine, _locked(machine):
        for process in _processes(machine):
            if process.ended or _lives(process):
                continue
            usages = _usages(process, machine.gpu_count)
            if trace is not None and not machine.trace_cut:
                machine.trace_cut = not _trace_killed(trace, usages)
            reaped += usages
            process.ended = _STATES.index(KILLED)
    return tuple(reaped)


def start_time(pid: int) -> int | None:
    """Returns the start time of a process in the kernel's ticks since boot; None if it doesn't exist or is a zombie."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            status = file.read()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The program's name, in brackets, can contain anything; the fields after it have no brackets.
    fields = status[status.rindex(b")") + 2 :].split()
    return None if fields[0] in (b"Z", b"X") else int(fields[19])


def _fill(machine: Machine, gpus: Sequence[SimulatedGpu]) -> None:
    """Writes the GPUs and the header into a new machine file."""
    machine.magic = MAGIC
    machine.layout = LAYOUT
    machine.size = ctypes.sizeof(Machine)
    machine.gpu_count = len(gpus)
    for slot, gpu in zip(machine.gpus, gpus):
        slot.name = gpu.name.encode("ascii")
        slot.uuid = gpu.uuid.encode("ascii")
        slot.pci_bus_id = gpu.pci_bus_id.encode("ascii")
        slot.total_bytes = gpu.total_bytes
        slot.used_by_others_bytes = gpu.used_bytes
        slot.context_bytes = gpu.context_bytes
        slot.compute_major, slot.compute_minor = gpu.compute_capability
        for figure in FIGURES:
            setattr(slot, figure, getattr(gpu, figure))
    _make_lock(machine)


def _make_lock(machine: Machine) -> None:
    libc = ctypes.CDLL(None)
    attributes = (ctypes.c_uint64 * 8)()
    for error in (
        libc.pthread_mutexattr_init(ctypes.byref(attributes)),
        libc.pthread_mutexattr_setpshared(ctypes.byref(attributes), _PTHREAD_PROCESS_SHARED),
        libc.pthread_mutexattr_setrobust(ctypes.byref(attributes), _PTHREAD_MUTEX_ROBUST),
        libc.pthread_mutex_init(ctypes.byref(machine.lock), ctypes.byref(attributes)),
        libc.pthread_mutexattr_destroy(ctypes.byref(attributes)),
    ):
        if error:
            raise OSError(error, os.strerror(error))


@contextmanager
def _locked(machine: Machine) -> Iterator[None]:
    libc = ctypes.CDLL(None)
    error = libc.pthread_mutex_lock(ctypes.byref(machine.lock))
    if error == errno.EOWNERDEAD:
        # The owner was killed. Each process writes only its own record, so nothing needs repair.
        error = libc.pthread_mutex_consistent(ctypes.byref(machine.lock))
    if error:
        raise OSError(error, os.strerror(error))
    try:
        yield
    finally:
        libc.pthread_mutex_unlock(ctypes.byref(machine.lock))


@contextmanager
def _opened(path: _Path) -> Iterator[Machine]:
    name = f"the machine file {os.fspath(path)}"
    try:
        with open(os.fspath(path), "r+b") as file:
            whole = os.fstat(file.fileno()).st_size == ctypes.sizeof(Machine)
            machine = _mapped(file.fileno()) if whole else Machine()
            if (machine.magic, machine.layout, machine.size) != (MAGIC, LAYOUT, ctypes.sizeof(Machine)):
                raise SimulationError(name, "was not written by this version of tf1mem", "Make a new one")
            yield machine
    except OSError as error:
        raise SimulationError(name, f"can't be used ({error.strerror})", "Check the path") from None


def _mapped(descriptor: int) -> Machine:
    """Maps the file's bytes without a copy. The mapping ends with the last reference to it or to a part of it."""
    return Machine.from_buffer(mmap.mmap(descriptor, ctypes.sizeof(Machine)))


def _processes(machine: Machine) -> list[MachineProcess]:
    return [machine.processes[index] for index in range(machine.process_count) if machine.processes[index].pid]


def _lives(process: MachineProcess) -> bool:
    return not process.ended and start_time(process.pid) == process.start_time


def _gpu(slot: MachineGpu) -> SimulatedGpu:
    return SimulatedGpu(
        total_bytes=slot.total_bytes,
        name=slot.name.decode("ascii"),
        used_bytes=slot.used_by_others_bytes,
        context_bytes=slot.context_bytes,
        compute_capability=(slot.compute_major, slot.compute_minor),
        pci_bus_id=slot.pci_bus_id.decode("ascii"),
        uuid=slot.uuid.decode("ascii"),
        **{figure: getattr(slot, figure) for figure in FIGURES},
    )


def _usages(process: MachineProcess, gpus: int) -> list[Usage]:
    state = _STATES[process.ended] if process.ended or _lives(process) else KILLED
    return [
        Usage(process.pid, state, gpu, *(getattr(process.usage[gpu], field) for field in Usage._fields[3:]))
        for gpu in range(gpus)
        if process.usage[gpu].used
    ]


def _trace_killed(trace: _Path, usages: Sequence[Usage]) -> bool:
    """Writes a "killed" line for each account; returns False if they couldn't be written."""
    lines = []
    for usage in usages:
        line: dict[str, Any] = {"time": round(time.time(), 6), "pid": usage.pid, "event": "killed", "gpu": usage.gpu}
        for name in ("reserved", "peak", "regions", "refused", "launches", "computed", "managed"):
            line[name] = getattr(usage, name)
        lines.append(json.dumps(line) + "\n")
    text = "".join(lines).encode("ascii")
    if not text:
        return True
    try:
        with open(trace, "ab", buffering=0) as file:
            return file.write(text) == len(text)  # one write, so that lines stay whole
    except OSError:
        return False
