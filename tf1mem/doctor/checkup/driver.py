"""The CUDA driver: its version, the GPUs with their memory, who else holds some. Asked in a child, by libcuda and NVML.

Nothing makes a CUDA context: cuInit and the queries of devices are enough. Sources: the CUDA driver API's "Version
Management" and "Device Management", and NVML's "Device Queries".
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from tf1mem.machine import nvml
from tf1mem.machine.child import ANSWERED, FAILED, SILENT, ask
from tf1mem.machine.cuda import devices, load_driver

SECONDS = 15  # a GPU without persistence mode takes a second or two to wake

# States of the driver, beside those of a child that was asked.
ABSENT, ERROR = "absent", "error"

_NO_DEVICE = 100
_ERRORS = {
    3: "CUDA_ERROR_NOT_INITIALIZED",
    46: "CUDA_ERROR_DEVICE_UNAVAILABLE",
    100: "CUDA_ERROR_NO_DEVICE",
    101: "CUDA_ERROR_INVALID_DEVICE",
    802: "CUDA_ERROR_SYSTEM_NOT_READY",
    803: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
    804: "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
    999: "CUDA_ERROR_UNKNOWN",
}


@dataclass(frozen=True)
class PhysicalGpu:
    """A physical GPU.

    Attributes:
        name: As the driver calls it.
        uuid: Such as "GPU-6b0d7bd5-…", or "".
        total_bytes: Its memory, as the driver counts it, or None.
        used_bytes: What all processes hold of it together, as NVML counts it, or None.
        compute_capability: Such as "7.0", or "".
    """

    name: str
    uuid: str = ""
    total_bytes: int | None = None
    used_bytes: int | None = None
    compute_capability: str = ""


@dataclass(frozen=True)
class Driver:
    """What the driver says.

    Attributes:
        state: `ANSWERED`; `ABSENT`: there is none; `SILENT`: it didn't answer in time; `ERROR`.
        version: The driver's, such as "550.54.15", or "".
        cuda: The newest CUDA that it runs, such as "12.4", or "".
        error: The error that it answered with, or "".
        gpus: All GPUs of the machine, in CUDA's order, whatever CUDA_VISIBLE_DEVICES says.
        simulated: Whether this is the simulator's driver.
    """

    state: str
    version: str = ""
    cuda: str = ""
    error: str = ""
    gpus: tuple[PhysicalGpu, ...] = ()
    simulated: bool = False


def asked(environment: dict[str, str], seconds: float = SECONDS) -> Driver:
    """Asks the driver, in a child.

    Args:
        environment: The environment variables. CUDA_VISIBLE_DEVICES among them is left out: all GPUs are asked for.
        seconds: How long to wait.
    """
    every = {name: value for name, value in environment.items() if name != "CUDA_VISIBLE_DEVICES"}
    answer = ask("tf1mem.doctor.checkup.driver.answer", seconds, every)
    if answer.state == SILENT:
        return Driver(SILENT)
    if answer.state == FAILED:
        last = answer.said.splitlines()[-1] if answer.said else "the process that asked it died"
        return Driver(ERROR, error=last)
    gpus = tuple(PhysicalGpu(**gpu) for gpu in answer.value.pop("gpus", ()))
    return Driver(**answer.value, gpus=gpus, simulated=bool(environment.get("TF1MEM_SIM_MACHINE")))


def answer() -> dict[str, Any]:
    """What the child runs."""
    cuda = load_driver()
    if cuda is None:
        return {"state": ABSENT}
    told: dict[str, Any] = {"state": ANSWERED, "gpus": []}
    number = ctypes.c_int()
    if not cuda.cuDriverGetVersion(ctypes.byref(number)):
        told["cuda"] = f"{number.value // 1000}.{number.value % 1000 // 10}"
    library = nvml.load()
    if library is not None:
        told["version"] = _text(library.nvmlSystemGetDriverVersion, 96)
    status = cuda.cuInit(0)
    if status and status != _NO_DEVICE:
        told["state"], told["error"] = ERROR, f"cuInit: {_ERRORS.get(status, status)}"
        return told
    found = () if status else devices(cuda) or ()
    told["gpus"] = [_gpu(cuda, library, device, total_bytes) for device, total_bytes in found]
    return told


def _gpu(cuda: Any, library: Any, device: Any, total_bytes: int | None) -> dict[str, Any]:
    number = (ctypes.c_ubyte * 16)()
    uuid = "" if cuda.cuDeviceGetUuid(ctypes.byref(number), device) else f"GPU-{UUID(bytes=bytes(number))}"
    major, minor = ctypes.c_int(), ctypes.c_int()
    cuda.cuDeviceGetAttribute(ctypes.byref(major), 75, device)  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    cuda.cuDeviceGetAttribute(ctypes.byref(minor), 76, device)  # …_MINOR
    return {
        "name": _text(lambda text, size: cuda.cuDeviceGetName(text, size, device), 96),
        "uuid": uuid,
        "total_bytes": total_bytes,
        "used_bytes": None if library is None else _used(library, uuid),
        "compute_capability": f"{major.value}.{minor.value}",
    }


def _used(library: Any, uuid: str) -> int | None:
    handle, memory = ctypes.c_void_p(), nvml.Memory()
    if library.nvmlDeviceGetHandleByUUID(uuid.encode(), ctypes.byref(handle)):
        return None
    return None if library.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)) else int(memory.used)


def _text(call: Any, size: int) -> str:
    buffer = ctypes.create_string_buffer(size)
    return buffer.value.decode("utf-8", "replace") if not call(buffer, size) else ""
