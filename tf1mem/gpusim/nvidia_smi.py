"""The command nvidia-smi of a simulated machine, which answers from the machine's accounts.

Programs and libraries such as GPUtil run it to choose a GPU. Like NVIDIA's, it lists the GPUs (`-L`), answers queries
as CSV, and shows a table. Queries of what a simulated GPU lacks, such as its fan, answer [N/A], as for real cards
without it. Source: `nvidia-smi --help-query-gpu`, `--help-query-compute-apps`, and "RETURN VALUE" in nvidia-smi(1).
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path
from typing import Callable, Iterator, NamedTuple, Sequence

from tf1mem.errors import SimulationError
from tf1mem.gpusim.gpus import SimulatedGpu
from tf1mem.gpusim.machine import State, read
from tf1mem.machine import child

NAME = "nvidia-smi"

_DRIVER = "580.00.00"  # as the simulated NVML has it
_INVALID_ARGUMENT, _NOT_FOUND, _NO_DRIVER = 2, 6, 9
_NOT_THERE = "[N/A]"
_CALL = "from tf1mem.gpusim.nvidia_smi import main; sys.exit(main(sys.argv[1:]))"


def write_command(folder: Path, machine: Path) -> Path:
    """Writes the command into a folder of its own, for the front of PATH, and returns that folder.

    Args:
        folder: The simulation's folder.
        machine: The file of the simulated machine.
    """
    place = folder / "bin"
    place.mkdir(exist_ok=True)
    command = place / NAME
    python = " ".join(map(shlex.quote, [*child.python(_CALL), str(machine)]))
    # A simulated process may run in another Python, with other variables.
    cleared = "unset LD_LIBRARY_PATH LD_PRELOAD PYTHONHOME PYTHONPATH PYTHONSTARTUP"
    command.write_text(f'#!/bin/sh\n{cleared}\nexec {python} "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return place


class _Gpu(NamedTuple):
    number: int
    kind: SimulatedGpu
    state: State


def _mib(count: int) -> str:
    return f"{count >> 20} MiB"


def _bus(gpu: _Gpu) -> str:
    return "0000" + gpu.kind.pci_bus_id.upper()


# A field of `--query-gpu` -> its value, with its unit.
_OF_A_GPU: dict[str, Callable[[_Gpu], str]] = {
    "timestamp": lambda gpu: time.strftime("%Y/%m/%d %H:%M:%S.000"),
    "driver_version": lambda gpu: _DRIVER,
    "count": lambda gpu: str(len(gpu.state.gpus)),
    "name": lambda gpu: gpu.kind.name,
    "index": lambda gpu: str(gpu.number),
    "uuid": lambda gpu: gpu.kind.uuid,
    "pci.bus_id": _bus,
    "compute_cap": lambda gpu: "{}.{}".format(*gpu.kind.compute_capability),
    "memory.total": lambda gpu: _mib(gpu.kind.total_bytes),
    "memory.reserved": lambda gpu: "0 MiB",
    "memory.used": lambda gpu: _mib(gpu.state.in_use[gpu.number]),
    "memory.free": lambda gpu: _mib(gpu.kind.total_bytes - gpu.state.in_use[gpu.number]),
    "utilization.gpu": lambda gpu: "0 %",
    "utilization.memory": lambda gpu: "0 %",
    "temperature.gpu": lambda gpu: "30",
    "power.draw": lambda gpu: "25.00 W",
    "pstate": lambda gpu: "P8",
    "persistence_mode": lambda gpu: "Disabled",
    "display_mode": lambda gpu: "Disabled",
    "display_active": lambda gpu: "Disabled",
    "compute_mode": lambda gpu: "Default",
    **dict.fromkeys(
        ("serial", "fan.speed", "power.limit", "mig.mode.current", "clocks.current.sm", "clocks.current.memory"),
        lambda gpu: _NOT_THERE,
    ),
}
# Another name of a field -> its name above or below.
_OTHER_NAMES = {
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "gpu_bus_id": "pci.bus_id",
    "gpu_serial": "serial",
    "clocks.sm": "clocks.current.sm",
    "clocks.mem": "clocks.current.memory",
    "used_gpu_memory": "used_memory",
}


class _Process(NamedTuple):
    gpu: _Gpu
    pid: int
    reserved: int


# Field of `--query-compute-apps` -> a function that returns its text.
_OF_A_PROCESS: dict[str, Callable[[_Process], str]] = {
    "timestamp": lambda process: time.strftime("%Y/%m/%d %H:%M:%S.000"),
    "gpu_name": lambda process: process.gpu.kind.name,
    "gpu_bus_id": lambda process: _bus(process.gpu),
    "gpu_serial": lambda process: _NOT_THERE,
    "gpu_uuid": lambda process: process.gpu.kind.uuid,
    "pid": lambda process: str(process.pid),
    "process_name": lambda process: _program(process.pid),
    "used_memory": lambda process: _mib(process.reserved),
}
_UNITS = ("MiB", "%", "W")


class _Refused(Exception):  # noqa: N818 - an answer of the command, not an error
    def __init__(self, message: str, status: int = _INVALID_ARGUMENT) -> None:
        super().__init__(message)
        self.status = status


def main(arguments: Sequence[str]) -> int:
    """Answers as nvidia-smi.

    Args:
        arguments: The file of the simulated machine, and the command's own arguments.

    Returns:
        The exit status.
    """
    try:
        print("\n".join(_answer(arguments[0], arguments[1:])))
    except _Refused as refused:
        print(refused)
        return refused.status
    except SimulationError:
        print("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.")
        return _NO_DRIVER
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _answer(machine: str, arguments: Sequence[str]) -> Iterator[str]:
    """Returns the lines of the answer."""
    options = _parsed(arguments)
    state = read(machine)
    gpus = _selected([_Gpu(number, kind, state) for number, kind in enumerate(state.gpus)], options.get("--id"))
    processes = [
        _Process(gpu, usage.pid, usage.reserved) for gpu in gpus for usage in state.usages if usage.gpu == gpu.number
    ]
    if "--list-gpus" in options:
        return (f"GPU {gpu.number}: {gpu.kind.name} (UUID: {gpu.kind.uuid})" for gpu in gpus)
    if "--query-gpu" in options:
        return _csv(options["--query-gpu"], options, _OF_A_GPU, gpus)
    if "--query-compute-apps" in options:
        return _csv(options["--query-compute-apps"], options, _OF_A_PROCESS, processes)
    return _table(gpus, processes)


_SHORT = {"-L": "--list-gpus", "-i": "--id"}
_WITH_VALUE = ("--id", "--query-gpu", "--query-compute-apps", "--format")


def _parsed(arguments: Sequence[str]) -> dict[str, str]:
    """Returns the options by their long names, such as "--id", with their values."""
    options: dict[str, str] = {}
    remaining = list(arguments)
    while remaining:
        name, equals, value = remaining.pop(0).partition("=")
        option = _SHORT.get(name, name)
        if option in _WITH_VALUE and not equals and remaining:
            value = remaining.pop(0)
        elif option not in _WITH_VALUE and (option != "--list-gpus" or equals):
            raise _Refused(f"Invalid combination of input arguments. Please run 'nvidia-smi -h' for help. ({name})")
        options[option] = value
    return options


def _selected(gpus: list[_Gpu], identities: str | None) -> list[_Gpu]:
    """Returns the GPUs that `--id` names by number, UUID or PCI bus id; all without it."""
    if identities is None:
        return gpus
    chosen = []
    for identity in identities.split(","):
        fit = [gpu for gpu in gpus if identity in (str(gpu.number), gpu.kind.uuid, gpu.kind.pci_bus_id, _bus(gpu))]
        if not fit:
            raise _Refused("No devices were found", _NOT_FOUND)
        chosen += fit
    return chosen


def _csv(query: str, options: dict[str, str], fields: dict, rows: Sequence) -> Iterator[str]:  # type: ignore[type-arg]
    """Yields the answer to a query: a line of names, and a line for each GPU or process."""
    form, *changes = options.get("--format", "").split(",")
    if form != "csv" or not {*changes} <= {"noheader", "nounits"}:
        raise _Refused('"--format=" switch is missing or wrong. It takes csv, csv,noheader and csv,noheader,nounits.')
    names = [name.strip() for name in query.split(",")]
    values = []
    for name in names:
        value = fields.get(name) or fields.get(_OTHER_NAMES.get(name, ""))
        if value is None:
            raise _Refused(f'Field "{name}" is not a valid field to query.\n')
        values.append(value)
    if "noheader" not in changes:
        yield ", ".join(name + _unit(name) for name in names)
    for row in rows:
        texts = [value(row) for value in values]
        if "nounits" in changes:
            texts = [text.rpartition(" ")[0] if text.rpartition(" ")[2] in _UNITS else text for text in texts]
        yield ", ".join(texts)


def _unit(name: str) -> str:
    if name.startswith("memory.") or _OTHER_NAMES.get(name, name) == "used_memory":
        return " [MiB]"
    return " [%]" if name.startswith(("utilization.", "fan.")) else " [W]" if name.startswith("power.") else ""


def _table(gpus: Sequence[_Gpu], processes: Sequence[_Process]) -> Iterator[str]:
    """Yields the lines of the table that nvidia-smi shows without options."""
    line = "+" + "-" * 78 + "+"

    def row(text: str) -> str:
        return f"| {text:<76.76} |"

    yield line
    yield row(f"NVIDIA-SMI {_DRIVER}      Driver Version: {_DRIVER}      simulated by tf1mem sim")
    yield line
    yield row(f"{'GPU':<4}{'Name':<34}{'Bus-Id':<18}{'Memory-Usage':>20}")
    for gpu in gpus:
        memory = f"{gpu.state.in_use[gpu.number] >> 20}MiB / {gpu.kind.total_bytes >> 20}MiB"
        yield row(f"{gpu.number:<4}{gpu.kind.name:<34.33}{_bus(gpu):<18}{memory:>20}")
    yield line
    yield row(f"{'GPU':<4}{'PID':>9}  {'Process name':<40}{'GPU Memory':>21}")
    for process in processes:
        name = _program(process.pid)
        yield row(f"{process.gpu.number:<4}{process.pid:>9}  {name:<40.39}{process.reserved >> 20:>18}MiB")
    if not processes:
        yield row("No running processes found")
    yield line


def _program(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return "[Not Found]"
