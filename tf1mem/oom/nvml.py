"""Who holds memory on which GPU, as the driver's NVML counts it. Asked in a child, with a time limit.

A wedged driver keeps whoever asks it, beyond signals: the child is left behind then, and never waited for.
Source: NVML's "Device Queries" (nvmlDeviceGetMemoryInfo, nvmlDeviceGetComputeRunningProcesses).
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

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
class Gpu:
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


def ask() -> tuple[tuple[Gpu, ...], str]:
    """Asks NVML about all GPUs of the machine.

    Returns:
        The GPUs, and why there are none where there are none.
    """
    if not sys.executable:
        return (), "this Python names no executable to ask the driver with"
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    program = (
        "import sys; sys.path[:] = [{!r}, *filter(None, sys.path)]\n"  # without this folder
        "from tf1mem.oom import nvml; nvml.print_answer()"
    ).format(root)
    try:
        child = subprocess.Popen(
            [sys.executable, "-S", "-c", program],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"),
        )
    except OSError as error:
        return (), "no process could be started to ask the driver ({})".format(error)
    try:
        said = child.communicate(timeout=SECONDS)[0]
    except subprocess.TimeoutExpired:
        child.kill()
        child.returncode = -9  # nobody is to wait for it when Python ends
        return (), "the driver didn't answer within {} s".format(SECONDS)
    try:
        answer = json.loads(said.decode("utf-8"))
    except ValueError:
        return (), "the process that asked the driver ended without an answer"
    if "error" in answer:
        return (), answer["error"]
    return tuple(_gpu(gpu) for gpu in answer["gpus"]), ""


def bus_id(text: str) -> str:
    """A PCI bus id in one spelling: CUDA and NVML write the domain with four and with eight digits."""
    domain, _, rest = text.lower().partition(":")
    return "{:04x}:{}".format(int(domain or "0", 16), rest)


def _gpu(told: dict[str, Any]) -> Gpu:
    holders = tuple(Holder(pid, held, _program(pid)) for pid, held in told["holders"])
    return Gpu(told["number"], bus_id(told["bus"]), told["name"], told["total"], told["free"], holders)


def _program(pid: int) -> str:
    try:
        with open("/proc/{}/comm".format(pid), encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


# --- in the child ----------------------------------------------------------------------------------------------


class _Memory(ctypes.Structure):
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


def print_answer() -> None:
    """What the child runs: prints what NVML says, as JSON."""
    try:
        nvml = ctypes.CDLL("nvml.dll" if os.name == "nt" else "libnvidia-ml.so.1")
    except OSError:
        print(json.dumps({"error": "there is no NVML (libnvidia-ml.so.1) to ask"}))
        return
    status = nvml.nvmlInit_v2()
    count = ctypes.c_uint()
    if status or nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)):
        print(json.dumps({"error": "NVML doesn't answer (error {})".format(status)}))
        return
    gpus = [_ask_one(nvml, number) for number in range(count.value)]
    print(json.dumps({"gpus": [gpu for gpu in gpus if gpu is not None]}))


def _ask_one(nvml: Any, number: int) -> dict[str, Any] | None:
    device, memory, pci = ctypes.c_void_p(), _Memory(), _Pci()
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
        call = getattr(nvml, "nvmlDeviceGet{}RunningProcesses{}".format(kind, version), None)
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
