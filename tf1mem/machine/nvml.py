"""Who holds memory on which GPU, as the driver's NVML counts it. Asked in a child, with a time limit.

A wedged driver keeps whoever asks it, beyond signals: the child is left behind then, and never waited for.
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
        pid: Its number.
        held_bytes: What it holds there, or None where NVML doesn't say.
        name: The name of its program, or "".
    """

    pid: int
    held_bytes: int | None
    name: str = ""


@dataclass(frozen=True)
class NvmlGpu:
    """A physical GPU as NVML sees it.

    Attributes:
        number: NVML's, the one that nvidia-smi shows.
        bus: Its PCI bus id, normalised by `bus_id`.
        name: Such as "NVIDIA A100".
        total_bytes: Its memory.
        free_bytes: What nobody holds.
        holders: The processes on it, the one that asks among them.
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
        The GPUs, and why there are none where there are none.
    """
    if not sys.executable:
        return (), "this Python names no executable to ask the driver with"
    try:
        answer = child.ask("tf1mem.machine.nvml.answer", SECONDS, with_site=False)
    except OSError as error:
        return (), f"the driver could not be asked ({error})"
    if answer.state == child.SILENT:
        return (), f"the driver didn't answer within {SECONDS} s"
    if answer.state != child.ANSWERED:
        return (), "the process that asked the driver ended without an answer"
    told = answer.value
    if "error" in told:
        return (), told["error"]
    return tuple(_gpu(gpu) for gpu in told["gpus"]), ""


def bus_id(text: str) -> str:
    """A PCI bus id in one spelling: CUDA and NVML write the domain with four and with eight digits."""
    domain, _, rest = text.lower().partition(":")
    return "{:04x}:{}".format(int(domain or "0", 16), rest)


def _gpu(told: dict[str, Any]) -> NvmlGpu:
    holders = tuple(Holder(pid, held, _program(pid)) for pid, held in told["holders"])
    return NvmlGpu(told["number"], bus_id(told["bus"]), told["name"], told["total"], told["free"], holders)


def _program(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


# --- in the child ----------------------------------------------------------------------------------------------


class Memory(ctypes.Structure):
    """nvmlMemory_t, in bytes."""

    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class _Pci(ctypes.Structure):  # nvmlPciInfo_t, of which only the bus id is read
    _fields_ = [
        ("bus_id_legacy", ctypes.c_char * 16),
        ("numbers", ctypes.c_uint * 5),
        ("bus_id", ctypes.c_char * 32),
        ("room", ctypes.c_char * 64),
    ]


class _ProcessV1(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("used", ctypes.c_ulonglong)]


class _Process(ctypes.Structure):
    _fields_ = [*_ProcessV1._fields_, ("gpu_instance", ctypes.c_uint), ("compute_instance", ctypes.c_uint)]


def load() -> Any:
    """NVML, initialized in this process; None where there is none, or where it doesn't answer."""
    library = _library()
    return None if library is None or library.nvmlInit_v2() else library


def answer() -> dict[str, Any]:
    """What the child runs: what NVML says, or why it says nothing."""
    nvml = _library()
    if nvml is None:
        return {"error": "there is no NVML (libnvidia-ml.so.1) to ask"}
    status = nvml.nvmlInit_v2()
    count = ctypes.c_uint()
    if status or nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)):
        return {"error": f"NVML doesn't answer (error {status})"}
    gpus = [_ask_one(nvml, number) for number in range(count.value)]
    return {"gpus": [gpu for gpu in gpus if gpu is not None]}


def _library() -> Any:
    try:
        return ctypes.CDLL("nvml.dll" if os.name == "nt" else "libnvidia-ml.so.1")
    except OSError:
        return None


def _ask_one(nvml: Any, number: int) -> dict[str, Any] | None:
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
    for version, layout in (("_v3", _Process), ("_v2", _Process), ("", _ProcessV1)):
        call = getattr(nvml, f"nvmlDeviceGet{kind}RunningProcesses{version}", None)
        if call is None:
            continue
        room = 64
        while room <= 4096:
            count, found = ctypes.c_uint(room), (layout * room)()
            status = call(device, ctypes.byref(count), found)
            if status != _INSUFFICIENT_SIZE:
                break
            room = max(2 * room, count.value)
        if not status:
            return {found[place].pid: found[place].used for place in range(count.value)}
    return {}
