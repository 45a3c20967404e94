"""The CUDA driver: its version, its GPUs and their memory, queried in a child process through libcuda and NVML.

No CUDA context is made: cuInit and the device queries are enough. Sources: the CUDA driver API's "Version
Management" and "Device Management", and NVML's "Device Queries".
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from tf1mem.machine import nvml
from tf1mem.machine.child import ANSWERED, FAILED, SILENT, ask
from tf1mem.machine.cuda import compute_capability, devices, load_driver

SECONDS = 15  # a GPU without persistence mode takes a second or two to wake

# States of the driver, in addition to those of the child process that queries it.
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
        name: Name reported by the driver.
        uuid: Identifier such as "GPU-6b0d7bd5-…", or "".
        total_bytes: Memory in bytes as the driver counts it, or None.
        used_bytes: Bytes held by all processes together, as NVML counts them, or None.
        compute_capability: Compute capability such as "7.0", or "".
    """

    name: str
    uuid: str = ""
    total_bytes: int | None = None
    used_bytes: int | None = None
    compute_capability: str = ""


@dataclass(frozen=True)
class Driver:
    """The CUDA driver's state and its GPUs.

    Attributes:
        state: `ANSWERED`; `ABSENT`: there is no driver; `SILENT`: it did not answer in time; `ERROR`.
        version: Driver version such as "550.54.15", or "".
        cuda: Newest CUDA version that it runs, such as "12.4", or "".
        error: Error that it returned, or "".
        gpus: All GPUs of the machine in CUDA's order, regardless of CUDA_VISIBLE_DEVICES.
        simulated: True for the simulator's driver.
    """

    state: str
    version: str = ""
    cuda: str = ""
    error: str = ""
    gpus: tuple[PhysicalGpu, ...] = ()
    simulated: bool = False


def query(environment: dict[str, str], seconds: float = SECONDS) -> Driver:
    """Queries the driver in a child process.

    Args:
        environment: Environment variables. The child runs without CUDA_VISIBLE_DEVICES, so that all GPUs are listed.
        seconds: Longest time to wait, in seconds.
    """
    without_visible = {name: value for name, value in environment.items() if name != "CUDA_VISIBLE_DEVICES"}
    answer = ask("tf1mem.doctor.checkup.driver.answer", seconds, without_visible)
    if answer.state == SILENT:
        return Driver(SILENT)
    if answer.state == FAILED:
        last = answer.stderr.splitlines()[-1] if answer.stderr else "the process that asked it died"
        return Driver(ERROR, error=last)
    gpus = tuple(PhysicalGpu(**gpu) for gpu in answer.value.pop("gpus", ()))
    return Driver(**answer.value, gpus=gpus, simulated=bool(environment.get("TF1MEM_SIM_MACHINE")))


def answer() -> dict[str, Any]:
    """Returns the fields of `Driver`; run by a child process."""
    cuda = load_driver()
    if cuda is None:
        return {"state": ABSENT}
    fields: dict[str, Any] = {"state": ANSWERED, "gpus": []}
    number = ctypes.c_int()
    if not cuda.cuDriverGetVersion(ctypes.byref(number)):
        fields["cuda"] = f"{number.value // 1000}.{number.value % 1000 // 10}"
    library = nvml.load()
    if library is not None:
        fields["version"] = _text(library.nvmlSystemGetDriverVersion, 96)
    status = cuda.cuInit(0)
    if status and status != _NO_DEVICE:
        fields["state"], fields["error"] = ERROR, f"cuInit: {_ERRORS.get(status, status)}"
        return fields
    gpus = () if status else devices(cuda) or ()
    fields["gpus"] = [_gpu(cuda, library, device, total_bytes) for device, total_bytes in gpus]
    return fields


def _gpu(cuda: Any, library: Any, device: Any, total_bytes: int | None) -> dict[str, Any]:
    identifier = (ctypes.c_ubyte * 16)()
    failed = cuda.cuDeviceGetUuid(ctypes.byref(identifier), device)
    uuid = "" if failed else f"GPU-{UUID(bytes=bytes(identifier))}"
    capability = compute_capability(cuda, device)
    return {
        "name": _text(lambda text, size: cuda.cuDeviceGetName(text, size, device), 96),
        "uuid": uuid,
        "total_bytes": total_bytes,
        "used_bytes": None if library is None else _used(library, uuid),
        "compute_capability": "" if capability is None else "{}.{}".format(*capability),
    }


def _used(library: Any, uuid: str) -> int | None:
    """Returns the bytes in use on a GPU, as NVML counts them; None if it doesn't say."""
    handle, memory = ctypes.c_void_p(), nvml.Memory()
    if library.nvmlDeviceGetHandleByUUID(uuid.encode(), ctypes.byref(handle)):
        return None
    return None if library.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)) else int(memory.used)


def _text(call: Any, size: int) -> str:
    """Returns the text that a function of CUDA or NVML writes into a buffer of `size` bytes; "" if it fails."""
    buffer = ctypes.create_string_buffer(size)
    return buffer.value.decode("utf-8", "replace") if not call(buffer, size) else ""
