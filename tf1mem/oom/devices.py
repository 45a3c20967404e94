"""TensorFlow's logical devices, their memory limits and configs, and the physical GPUs below them.

All of it is read off what has started already: nothing here starts a runtime or makes a device.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Iterator

from tf1mem.machine import eager_context, nvml
from tf1mem.machine.cuda import in_use, load_driver
from tf1mem.machine.modules import loaded_module


@dataclass(frozen=True)
class CudaGpu:
    """A GPU that CUDA shows this process.

    Attributes:
        bus: Its PCI bus id, normalised.
        total_bytes: Its memory, as TensorFlow's fraction counts it.
    """

    bus: str
    total_bytes: int


def session_of(error: BaseException) -> Any:
    """The Session whose run raised the error: innermost in its traceback; None without one."""
    session = None
    for frame in _frames(error.__traceback__):
        candidate = frame.f_locals.get("self") if frame.f_code.co_name in ("run", "_run", "_do_run") else None
        if candidate is not None and hasattr(candidate, "list_devices") and hasattr(candidate, "_config"):
            session = candidate
    return session


def context(tf: Any) -> Any:
    """The eager context, if it has started."""
    return eager_context.context_module()._context if eager_context.has_started() else None


def limits(session: Any, eager: Any) -> dict[str, int]:
    """The memory limit of each logical device in bytes, by names such as "GPU:0".

    Raises:
        Exception: TensorFlow doesn't say.
    """
    if session is not None:
        return {_short(device.name): device.memory_limit_bytes for device in session.list_devices()}
    devices, eagerly = _bindings()
    listed = eagerly.TFE_ContextListDevices(eager._handle)
    try:
        return {
            _short(devices.TF_DeviceListName(listed, place)): devices.TF_DeviceListMemoryBytes(listed, place)
            for place in range(devices.TF_DeviceListCount(listed))
        }
    finally:
        devices.TF_DeleteDeviceList(listed)


def layout(options: Any, count: int) -> list[tuple[int, int]]:
    """Which physical GPU each logical one lies on, and which part of it: by the GPUOptions, in CUDA's numbers."""
    listed = [int(entry) for entry in options.visible_device_list.split(",") if entry.strip()]
    visible = listed or list(range(count))
    splits = [list(entry.memory_limit_mb) for entry in options.experimental.virtual_devices]
    return [
        (ordinal, part)
        for place, ordinal in enumerate(visible)
        for part in range(len(splits[place]) or 1 if place < len(splits) else 1)
    ]


def cuda_gpus() -> list[CudaGpu]:
    """The GPUs that CUDA shows this process, in its order; empty where it hasn't started here."""
    if not in_use():
        return []
    cuda = load_driver()
    count = ctypes.c_int()
    cuda.cuDeviceGetCount(ctypes.byref(count))
    found = []
    for ordinal in range(count.value):
        device, total, bus = ctypes.c_int(), ctypes.c_size_t(), ctypes.create_string_buffer(32)
        if (
            cuda.cuDeviceGet(ctypes.byref(device), ordinal)
            or cuda.cuDeviceTotalMem_v2(ctypes.byref(total), device)
            or cuda.cuDeviceGetPCIBusId(bus, 32, device)
        ):
            return []
        found.append(CudaGpu(nvml.bus_id(bus.value.decode("ascii")), total.value))
    return found


def _short(name: str) -> str:
    return name.rpartition("device:")[2]


def _frames(trace: TracebackType | None) -> Iterator[Any]:
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def _bindings() -> tuple[Any, Any]:
    """TensorFlow's C API in Python, for Sessions and for the eager context: one module until 2.0."""
    devices = loaded_module("python.client.pywrap_tf_session")
    eagerly = loaded_module("python.pywrap_tfe")
    both = loaded_module("python.pywrap_tensorflow")
    if devices is not None and eagerly is not None:
        return devices, eagerly
    if both is not None and hasattr(both, "TFE_ContextListDevices"):
        return both, both
    raise LookupError("this TensorFlow lists the eager context's devices otherwise")
