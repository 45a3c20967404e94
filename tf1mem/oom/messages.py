"""Parses TensorFlow's out-of-memory messages, which differ by version and by the part of TensorFlow that raises them.

Sources: tensorflow/core/framework/op_kernel.cc (allocate_tensor, allocate_temp),
tensorflow/core/common_runtime/gpu/gpu_device.cc (the scratch buffer), tensorflow/core/kernels/conv_ops_gpu.h (cuDNN's
scratch space), xla/service/gpu and xla/tsl/framework/bfc_allocator.cc, and the messages themselves, of TensorFlow 1.15
to 2.22.
"""

from __future__ import annotations

import re
from functools import reduce
from operator import mul
from typing import NamedTuple

from tf1mem.settings.units import UNITS


class FailedAllocation(NamedTuple):
    """A request to TensorFlow's allocator that failed, as far as the message describes it.

    Attributes:
        size_bytes: The size in bytes, or None.
        exact: False if the message rounds the size.
        shape: The tensor's shape, or None.
        dtype: The tensor's dtype as the message spells it, or None.
        op: The op that made the request, or None.
        device: The logical device, such as "GPU:0" or "CPU:0", or None.
        job: The job and task of the device in a cluster, such as "worker:1", or None for this process.
        allocator: TensorFlow's name for the allocator, such as "GPU_0_bfc", or None.
    """

    size_bytes: int | None = None
    exact: bool = True
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    op: str | None = None
    device: str | None = None
    job: str | None = None
    allocator: str | None = None


_ABOUT_MEMORY = re.compile(
    r"OOM when allocating|out of memory|trying to allocate|failed to allocate memory|dst tensor is not initialized"
    r"|failed to allocate the scratch space",
    re.IGNORECASE,
)
_SCRATCH = re.compile(r"Failed to allocate scratch buffer for device (\d+)|CUDNN failed to allocate the scratch space")
_TENSOR = re.compile(
    r"OOM when allocating (?P<what>\w+ )?tensor (?:with|of) shape ?\[(?P<shape>[\d,]*)\] and type (?P<dtype>\w+)"
    r"(?: on (?P<device>\S+) by allocator (?P<allocator>[\w-]+))?"
)
_AMOUNT = re.compile(
    r"(?:trying|attempting|failed) to allocate (?P<number>[\d.,]*\d) ?(?P<unit>[KMGT]?i?B|bytes)", re.I
)
_DEVICE = re.compile(r"(?:/job:(\w+)/replica:\d+/task:(\d+))?/device:(?:XLA_)?([CG]PU):(\d+)", re.IGNORECASE)
_NODE = re.compile(r"\{\{node ([^}]+)\}\}|\[\[node (\S+)")
_OP = re.compile(r"\[Op:(\w+)\]")

# TensorFlow means the same by "MB" and "MiB".
_UNITS = {"b": 1, "bytes": 1}
_UNITS.update((name.lower(), count) for unit, count in UNITS.items() for name in (unit, unit.replace("i", "")))

# Bytes of one element, by TensorFlow's names (tensorflow/core/framework/types.cc, DataTypeString).
ELEMENT_BYTES = {
    **dict.fromkeys(("bool", "int8", "uint8", "qint8", "quint8", "float8_e5m2", "float8_e4m3fn"), 1),
    **dict.fromkeys(("half", "bfloat16", "int16", "uint16", "qint16", "quint16"), 2),
    **dict.fromkeys(("float", "int32", "uint32", "qint32"), 4),
    **dict.fromkeys(("double", "int64", "uint64", "complex64"), 8),
    "complex128": 16,
}


def parse(message: str) -> FailedAllocation | None:
    """Returns the request that a message describes, or None if it isn't about memory.

    Args:
        message: `str(error)`.
    """
    if not _ABOUT_MEMORY.search(message):
        return None
    tensor = _TENSOR.search(message)
    shape = dtype = allocator = None
    size, exact = None, True
    if tensor is not None:
        shape = tuple(int(part) for part in tensor.group("shape").split(",") if part)
        dtype, allocator = tensor.group("dtype"), tensor.group("allocator")
        size = reduce(mul, shape, ELEMENT_BYTES[dtype]) if dtype in ELEMENT_BYTES else None
    else:
        amount = _AMOUNT.search(message)
        if amount is not None:
            size, exact = _amount(amount.group("number"), amount.group("unit"))
    device, job = _device(message, tensor.group("device") if tensor is not None else None)
    return FailedAllocation(size, exact, shape, dtype, _op(message), device, job, allocator)


def parse_scratch(message: str) -> FailedAllocation | None:
    """Returns the request if a GPU had no room for its scratch buffer, or for cuDNN's scratch space, else None.

    Args:
        message: `str(error)` of an error whose type is seldom about memory.
    """
    scratch = _SCRATCH.search(message)
    if scratch is None:
        return None
    return FailedAllocation(device="GPU:" + scratch.group(1)) if scratch.group(1) else parse(message)


def _amount(number: str, unit: str) -> tuple[int, bool]:
    factor = _UNITS[unit.lower()]
    digits = number.replace(",", "")
    return int(float(digits) * factor) if factor > 1 else int(float(digits)), factor == 1


def _device(message: str, named: str | None) -> tuple[str | None, str | None]:
    """Returns the device and job that the message is about: `named`, or the only device in the message."""
    mentioned = {
        (f"{kind.upper()}:{number}", None if job in ("", "localhost") else f"{job}:{task}")
        for job, task, kind, number in _DEVICE.findall(named or message)
    }
    return mentioned.pop() if len(mentioned) == 1 else (None, None)


def _op(message: str) -> str | None:
    node = _NODE.search(message)
    if node is not None:
        return node.group(1) or node.group(2)
    op = _OP.search(message)
    return None if op is None or op.group(1).startswith("__") else op.group(1)
