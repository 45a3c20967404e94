"""Asking the CUDA driver which GPUs there are, and how much memory each has.

TensorFlow 1's fraction is a share of what `cuMemGetInfo` calls the total, which is `cuDeviceTotalMem`; NVML gives a
larger figure. The driver reads CUDA_VISIBLE_DEVICES once, when it starts in a process, and its state does not survive
a fork: so it is asked in a child process unless the caller is about to start it anyway.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any

from tf1mem.machine import child

# The wait for a child that asks the driver: a GPU without persistence mode may take a second to wake.
_TIMEOUT_S = 60


@dataclass(frozen=True)
class CudaGpu:
    """One physical GPU that CUDA shows this process.

    Attributes:
        total_bytes: Its memory as the driver counts it, or None where that isn't known.
    """

    total_bytes: int | None = None


def ask_here() -> tuple[CudaGpu, ...] | None:
    """Asks the driver in this process, which starts CUDA here.

    Returns:
        The GPUs in CUDA's order, empty where there is no driver, None where the driver doesn't answer.
    """
    cuda = load_driver()
    if cuda is None:
        return ()
    status = cuda.cuInit(0)
    if status in (_NO_DEVICE, _INSUFFICIENT_DRIVER):
        return ()
    found = None if status else devices(cuda)
    return None if found is None else tuple(CudaGpu(total) for _, total in found)


def devices(cuda: Any) -> list[tuple[Any, int | None]] | None:
    """The devices of a driver that has started: CUDA's handle and the memory of each, in CUDA's order.

    Args:
        cuda: What `load_driver` gave.

    Returns:
        Handles, and bytes or None where that isn't known; None altogether where the driver doesn't answer.
    """
    import ctypes

    count = ctypes.c_int()
    if cuda.cuDeviceGetCount(ctypes.byref(count)):
        return None
    found = []
    for ordinal in range(count.value):
        device, total = ctypes.c_int(), ctypes.c_size_t()
        failed = cuda.cuDeviceGet(ctypes.byref(device), ordinal) or cuda.cuDeviceTotalMem_v2(
            ctypes.byref(total), device
        )
        found.append((device, None if failed else total.value))
    return found


def in_use(unless_known: bool = False) -> bool:
    """Whether this process has a CUDA context on any GPU: something made a device. Starts nothing.

    Args:
        unless_known: The answer where there is no CUDA driver to ask.
    """
    import ctypes

    cuda = load_driver()
    flags, active = ctypes.c_uint(), ctypes.c_int()
    count = ctypes.c_int()
    if cuda is None:
        return unless_known
    if cuda.cuDeviceGetCount(ctypes.byref(count)):
        return False  # CUDA has not started
    for device in range(count.value):
        if not cuda.cuDevicePrimaryCtxGetState(device, ctypes.byref(flags), ctypes.byref(active)) and active.value:
            return True
    return False


def ask() -> tuple[CudaGpu, ...] | None:
    """Asks the driver in a child process, so that nothing starts in this one.

    Returns:
        As `ask_here`.
    """
    if load_driver() is None:
        return ()
    if not sys.executable:
        return ask_here()
    try:
        answer = child.ask("tf1mem.machine.cuda.totals_here", _TIMEOUT_S, with_site=False)
    except OSError:
        return None
    return None if answer.value is None else tuple(CudaGpu(total) for total in answer.value)


def totals_here() -> list[int | None] | None:
    """What the child runs: the bytes of each GPU, as `ask_here` finds them."""
    gpus = ask_here()
    return None if gpus is None else [gpu.total_bytes for gpu in gpus]


_NO_DEVICE = 100  # CUDA_ERROR_NO_DEVICE
_INSUFFICIENT_DRIVER = 803  # CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: TensorFlow runs on the CPU then


def load_driver() -> Any:
    """The CUDA driver library, or None. Loading it starts nothing."""
    import ctypes

    for name in ("libcuda.so.1", "nvcuda.dll") if os.name == "nt" else ("libcuda.so.1",):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None
