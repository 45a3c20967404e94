"""Runs one case of gpu_check.py, and writes the memory in use before and after it to the file OUT, as JSON.

Usage: gpu_check_program.py OUT CONFIG. CONFIG is a config as JSON; null makes a bare CUDA context instead, without
TensorFlow.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

ALLOCATED_BYTES = (3 << 20, 50 << 20, 100 << 20)
# Tensors that live until the memory in use is read.
kept: list[Any] = []


class _MemoryInfo(ctypes.Structure):
    """The struct nvmlMemory_t of NVML."""

    _fields_ = (("total", ctypes.c_uint64), ("free", ctypes.c_uint64), ("used", ctypes.c_uint64))


class Driver:
    """The driver's and NVML's view of the first visible GPU."""

    def __init__(self) -> None:
        """Starts CUDA, but makes no context."""
        self._cuda, self._nvml = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL("libnvidia-ml.so.1")
        self._device = ctypes.c_int()
        bus = ctypes.create_string_buffer(32)
        self._call(self._cuda.cuInit, 0)
        self._call(self._cuda.cuDeviceGet, ctypes.byref(self._device), 0)
        self._call(self._cuda.cuDeviceGetPCIBusId, bus, 32, self._device)
        self._call(self._nvml.nvmlInit_v2)
        self._handle = ctypes.c_void_p()
        self._call(self._nvml.nvmlDeviceGetHandleByPciBusId_v2, bus, ctypes.byref(self._handle))

    @staticmethod
    def _call(function: Any, *arguments: Any) -> None:
        status = function(*arguments)
        if status:
            sys.exit(f"{function.__name__} answered {status}")

    def used(self) -> int:
        """Returns the bytes in use on the GPU, by all processes."""
        info = _MemoryInfo()
        self._call(self._nvml.nvmlDeviceGetMemoryInfo, self._handle, ctypes.byref(info))
        return int(info.used)

    def start(self) -> dict[str, Any]:
        """Makes a context; returns the GPU's properties, and the memory that is free in a process with a context."""
        context, free, total = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t()
        major, minor = ctypes.c_int(), ctypes.c_int()
        name, version = ctypes.create_string_buffer(128), ctypes.create_string_buffer(80)
        self._call(self._cuda.cuDevicePrimaryCtxRetain, ctypes.byref(context), self._device)
        self._call(self._cuda.cuCtxSetCurrent, context)
        self._call(self._cuda.cuMemGetInfo_v2, ctypes.byref(free), ctypes.byref(total))
        self._call(self._cuda.cuDeviceGetName, name, 128, self._device)
        self._call(self._cuda.cuDeviceGetAttribute, ctypes.byref(major), 75, self._device)  # ..._CAPABILITY_MAJOR
        self._call(self._cuda.cuDeviceGetAttribute, ctypes.byref(minor), 76, self._device)
        self._call(self._nvml.nvmlSystemGetDriverVersion, version, 80)
        return {
            "name": name.value.decode(),
            "driver": version.value.decode(),
            "total_bytes": total.value,
            "free_bytes": free.value,
            "compute_capability": [major.value, minor.value],
        }


def allocate(config: Any) -> None:
    """Applies the config and allocates on each GPU, by the op `Empty`, which neither copies nor launches a kernel."""
    import tf1mem  # noqa: I001 - before TensorFlow
    import tensorflow as tf
    from tensorflow.python.ops import gen_array_ops

    tf1mem.apply(config)
    gpus = tf.config.list_logical_devices("GPU")
    if not gpus:
        sys.exit("TensorFlow registers no GPU: a CUDA library that it needs is missing, or this is a CPU build")
    for gpu in gpus:
        with tf.device(gpu.name):
            kept.extend(gen_array_ops.empty([size], tf.uint8, init=False) for size in ALLOCATED_BYTES)


def main(out: str, config: Any) -> None:
    driver = Driver()
    figures: dict[str, Any] = {"used_before": driver.used()}
    if config is None:
        figures.update(driver.start())
    else:
        allocate(config)
    figures["used_after"] = driver.used()
    Path(out).write_text(json.dumps(figures), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
