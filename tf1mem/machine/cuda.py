"""Asks the CUDA driver for the GPUs and their memory.

TensorFlow 1's per_process_gpu_memory_fraction is a share of the total by `cuMemGetInfo`, which equals
`cuDeviceTotalMem`; NVML reports a larger figure. The driver reads CUDA_VISIBLE_DEVICES once, when it starts in a
process, and its state doesn't survive a fork. So a child process calls the driver, unless the caller is about to start
it anyway.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any

from tf1mem.machine import child

# The wait for a child that asks the driver: a GPU without persistence mode may take a second to wake.
_TIMEOUT_S = 60
_NO_DEVICE = 100  # CUDA_ERROR_NO_DEVICE
_DRIVER_MISMATCH = 803  # CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: TensorFlow runs on the CPU then


@dataclass(frozen=True)
class CudaGpu:
    """One physical GPU that CUDA shows this process.

    Attributes:
        total_bytes: The GPU's memory in bytes as the driver counts it, or None if it isn't known.
        compute_capability: The major and minor number, such as (8, 6), or None if it isn't known.
    """

    total_bytes: int | None = None
    compute_capability: tuple[int, int] | None = None


def ask_here() -> tuple[CudaGpu, ...] | None:
    """Asks the driver in this process, which starts CUDA here.

    Returns:
        The GPUs in CUDA's order; empty if there is no driver; None if the driver doesn't answer.
    """
    cuda = load_driver()
    if cuda is None:
        return ()
    status = cuda.cuInit(0)
    if status in (_NO_DEVICE, _DRIVER_MISMATCH):
        return ()
    listed = None if status else devices(cuda)
    return None if listed is None else tuple(CudaGpu(total, compute_capability(cuda, gpu)) for gpu, total in listed)


def devices(cuda: Any) -> list[tuple[Any, int | None]] | None:
    """Returns the devices of a driver that has started: CUDA's handle and the memory of each, in CUDA's order.

    Args:
        cuda: The driver library, as `load_driver` returns it.

    Returns:
        For each device its handle and its memory in bytes, or None for unknown memory; None if the driver doesn't
        answer.
    """
    import ctypes

    count = ctypes.c_int()
    if cuda.cuDeviceGetCount(ctypes.byref(count)):
        return None
    listed: list[tuple[Any, int | None]] = []
    for ordinal in range(count.value):
        device, total = ctypes.c_int(), ctypes.c_size_t()
        failed = cuda.cuDeviceGet(ctypes.byref(device), ordinal) or cuda.cuDeviceTotalMem_v2(
            ctypes.byref(total), device
        )
        listed.append((device, None if failed else total.value))
    return listed


def compute_capability(cuda: Any, device: Any) -> tuple[int, int] | None:
    """Returns a device's compute capability, or None if the driver doesn't tell it.

    Args:
        cuda: The driver library, as `load_driver` returns it.
        device: CUDA's handle of the device.
    """
    import ctypes

    major, minor = ctypes.c_int(), ctypes.c_int()
    # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and …_MINOR
    for number, attribute in ((major, 75), (minor, 76)):
        if cuda.cuDeviceGetAttribute(ctypes.byref(number), attribute, device):
            return None
    return major.value, minor.value


def in_use(without_driver: bool = False) -> bool:
    """Returns True if this process has a CUDA context on any GPU. Starts nothing.

    Args:
        without_driver: The result if there is no CUDA driver.
    """
    import ctypes

    cuda = load_driver()
    flags, active = ctypes.c_uint(), ctypes.c_int()
    count = ctypes.c_int()
    if cuda is None:
        return without_driver
    if cuda.cuDeviceGetCount(ctypes.byref(count)):
        return False  # CUDA has not started
    for device in range(count.value):
        if not cuda.cuDevicePrimaryCtxGetState(device, ctypes.byref(flags), ctypes.byref(active)) and active.value:
            return True
    return False


def ask() -> tuple[CudaGpu, ...] | None:
    """Asks the driver in a child process, so that nothing starts in this one; here if Python's path isn't known.

    Returns:
        The GPUs, as `ask_here` returns them.
    """
    if load_driver() is None:
        return ()
    if not sys.executable:
        return ask_here()
    try:
        answer = child.ask("tf1mem.machine.cuda.figures_here", _TIMEOUT_S, with_site=False)
    except OSError:
        return None
    if answer.value is None:
        return None
    return tuple(CudaGpu(total, capability and tuple(capability)) for total, capability in answer.value)


def figures_here() -> list[tuple[int | None, tuple[int, int] | None]] | None:
    """Returns the figures of each GPU that `ask_here` returns; the child process calls this."""
    gpus = ask_here()
    return None if gpus is None else [(gpu.total_bytes, gpu.compute_capability) for gpu in gpus]


def load_driver() -> Any:
    """Returns the CUDA driver library, or None. Loading it starts nothing."""
    import ctypes

    for name in ("libcuda.so.1", "nvcuda.dll") if os.name == "nt" else ("libcuda.so.1",):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None
