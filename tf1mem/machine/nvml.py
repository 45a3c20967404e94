"""Asks the driver's NVML which processes hold memory on which GPU, in a child process with a time limit.

A process that asks a hung driver hangs, too, and can't be killed. So the child is left behind, and never waited for.
Source: NVML's "Device Queries" (nvmlDeviceGetMemoryInfo, nvmlDeviceGetComputeRunningProcesses).
"""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass
from typing import Any

from tf1mem.machine import child

SECONDS = 10  # NVML takes a second or two to wake a GPU without persistence mode

_INSUFFICIENT_SIZE = 7
_UNKNOWN_BYTES = 2**64 - 1  # NVML_VALUE_NOT_AVAILABLE


@dataclass(frozen=True)
class Holder:
    """A process that has a context on a GPU.

    Attributes:
        pid: The process id.
        held_bytes: The GPU memory that it holds in bytes, or None if NVML doesn't report it.
        name: The program's name, or "".
    """

    pid: int
    held_bytes: int | None
    name: str = ""


@dataclass(frozen=True)
class NvmlGpu:
    """A physical GPU as NVML sees it.

    Attributes:
        number: NVML's number, which nvidia-smi shows, too.
        bus: The PCI bus id, normalised by `bus_id`.
        name: The GPU's name, such as "NVIDIA A100".
        total_bytes: The GPU's memory in bytes.
        free_bytes: The free memory in bytes.
        holders: The processes on it, including the one that asks.
    """

    number: int
    bus: str
    name: str
    total_bytes: int
    free_bytes: int
    holders: tuple[Holder, ...] = ()


def ask() -> tuple[tuple[NvmlGpu, ...], str]:
    """Asks NVML about all GPUs of the machine.

    Returns:
        The GPUs, and "" or the reason why there are none.
    """
    if not sys.executable:
        return (), "sys.executable is empty, so no process can be started to query the driver"
    try:
        answer = child.ask("tf1mem.machine.nvml.answer", SECONDS, with_site=False)
    except OSError as error:
        return (), f"the driver could not be queried ({error})"
    if answer.state == child.SILENT:
        return (), f"the driver didn't answer within {SECONDS} s"
    if answer.state != child.ANSWERED:
        return (), "the process that asked the driver ended without an answer"
    facts = answer.value
    if "error" in facts:
        return (), facts["error"]
    return tuple(_gpu(gpu) for gpu in facts["gpus"]), ""


def bus_id(text: str) -> str:
    """Normalises a PCI bus id: CUDA writes the domain with four digits, NVML with eight."""
    domain, _, device = text.lower().partition(":")
    return "{:04x}:{}".format(int(domain or "0", 16), device)


def _gpu(gpu: dict[str, Any]) -> NvmlGpu:
    holders = tuple(Holder(pid, held, _program(pid)) for pid, held in gpu["holders"])
    return NvmlGpu(gpu["number"], bus_id(gpu["bus"]), gpu["name"], gpu["total"], gpu["free"], holders)


def _program(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


# --- the rest runs in child processes: this module's, and the doctor's (doctor/checkup/driver.py calls `load`) ---


class Memory(ctypes.Structure):
    """nvmlMemory_t, in bytes."""

    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class _Pci(ctypes.Structure):  # nvmlPciInfo_t, of which only the bus id is read
    _fields_ = [
        ("bus_id_legacy", ctypes.c_char * 16),
        ("numbers", ctypes.c_uint * 5),
        ("bus_id", ctypes.c_char * 32),
        ("padding", ctypes.c_char * 64),
    ]


class _ProcessV1(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("used", ctypes.c_ulonglong)]


class _Process(ctypes.Structure):
    _fields_ = [*_ProcessV1._fields_, ("gpu_instance", ctypes.c_uint), ("compute_instance", ctypes.c_uint)]


def load() -> Any:
    """Returns NVML, initialized in this process, or None if it is missing or doesn't answer."""
    library = _library()
    return None if library is None or library.nvmlInit_v2() else library


def answer() -> dict[str, Any]:
    """Returns NVML's facts about all GPUs, or the reason why there are none; the child process calls this."""
    nvml = _library()
    if nvml is None:
        return {"error": "NVML (libnvidia-ml.so.1) is missing"}
    status = nvml.nvmlInit_v2()
    count = ctypes.c_uint()
    if status or nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)):
        return {"error": f"NVML doesn't answer (error {status})"}
    gpus = [_facts(nvml, number) for number in range(count.value)]
    return {"gpus": [gpu for gpu in gpus if gpu is not None]}


def _library() -> Any:
    try:
        return ctypes.CDLL("nvml.dll" if os.name == "nt" else "libnvidia-ml.so.1")
    except OSError:
        return None


def _facts(nvml: Any, number: int) -> dict[str, Any] | None:
    """Returns NVML's facts about a GPU; None if it doesn't answer."""
    device, memory, pci = ctypes.c_void_p(), Memory(), _Pci()
    if nvml.nvmlDeviceGetHandleByIndex_v2(number, ctypes.byref(device)):
        return None
    pci_info = getattr(nvml, "nvmlDeviceGetPciInfo_v3", None) or nvml.nvmlDeviceGetPciInfo_v2
    if pci_info(device, ctypes.byref(pci)) or nvml.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory)):
        return None
    name = ctypes.create_string_buffer(96)
    nvml.nvmlDeviceGetName(device, name, 96)
    holders = {}
    for kind in ("Graphics", "Compute"):
        holders.update(_processes(nvml, device, kind))
    return {
        "number": number,
        "bus": (pci.bus_id or pci.bus_id_legacy).decode("ascii", "replace"),
        "name": name.value.decode("utf-8", "replace"),
        "total": memory.total,
        "free": memory.free,
        "holders": [[pid, None if held == _UNKNOWN_BYTES else held] for pid, held in holders.items()],
    }


def _processes(nvml: Any, device: Any, kind: str) -> dict[int, int]:
    """Returns process id -> bytes held on a device, by the newest call that NVML has."""
    for version, layout in (("_v3", _Process), ("_v2", _Process), ("", _ProcessV1)):
        call = getattr(nvml, f"nvmlDeviceGet{kind}RunningProcesses{version}", None)
        if call is None:
            continue
        room = 64
        while room <= 4096:
            count, entries = ctypes.c_uint(room), (layout * room)()
            status = call(device, ctypes.byref(count), entries)
            if status != _INSUFFICIENT_SIZE:
                break
            room = max(2 * room, count.value)
        if not status:
            return {entries[place].pid: entries[place].used for place in range(count.value)}
    return {}
