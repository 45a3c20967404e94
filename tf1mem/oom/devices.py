"""TensorFlow's logical devices, their memory limits, what is in use on them, and the physical GPUs below them.

All of it is read off what has started already: nothing here starts a runtime or makes a device.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from tf1mem.machine import cuda, eager_context, nvml
from tf1mem.machine.modules import loaded_module
from tf1mem.machine.tensorflow import is_tf1, lookup
from tf1mem.oom.snapshots import Snapshot


class PciGpu(NamedTuple):
    """A GPU that CUDA shows this process, and where it is plugged in.

    Attributes:
        bus: Its PCI bus id, normalised.
        total_bytes: Its memory, as TensorFlow's fraction counts it.
    """

    bus: str
    total_bytes: int


def session_of(error: BaseException) -> Any:
    """The Session whose run raised the error: innermost in its traceback; None without one."""
    session, trace = None, error.__traceback__
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        candidate = frame.f_locals.get("self") if frame.f_code.co_name in ("run", "_run", "_do_run") else None
        if hasattr(candidate, "list_devices") and hasattr(candidate, "_config"):
            session = candidate
    return session


def context() -> Any:
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


def in_use(tf: Any, session: Any, eager: Any, device: str) -> Snapshot | None:
    """What TensorFlow says is in use now on a logical GPU, the failed step's tensors gone; None where it has no way to.

    Args:
        tf: TensorFlow.
        session: The Session that failed, or None.
        eager: The eager context, if it has started.
        device: Such as "GPU:0".

    Raises:
        Exception: TensorFlow's own, where it doesn't answer.
    """
    if is_tf1(tf):
        return _by_ops(tf, session, device)
    if eager is None:
        return None  # asking would start it
    info = lookup(tf, "config.experimental.get_memory_info")  # 2.5 and up
    if info is not None:
        told = info(device)
        return Snapshot("", told["current"], told["peak"])
    usage = lookup(tf, "config.experimental.get_memory_usage")  # 2.4
    return None if usage is None else Snapshot("", usage(device))


def _by_ops(tf: Any, session: Any, device: str) -> Snapshot | None:
    """By the ops of tf.contrib.memory_stats, whose outputs lie in the host's memory.

    A Session of its own runs them; it shares the GPU's allocator, which is one for the process, and reserves nothing.
    """
    try:
        from tensorflow.contrib.memory_stats.python.ops import memory_stats_ops as ops
    except ImportError:
        return None
    config = None if session is None else session._config
    graph = tf.Graph()
    with graph.as_default(), tf.device("/device:" + device):
        wanted = [ops.BytesInUse(), ops.MaxBytesInUse(), ops.BytesLimit()]
    with tf.compat.v1.Session(graph=graph, config=config) as asking:
        held, peak, limit = (int(figure) for figure in asking.run(wanted))
    return Snapshot("", held, peak, limit_bytes=limit)


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


def cuda_gpus() -> list[PciGpu]:
    """The GPUs that CUDA shows this process, in its order; empty where it hasn't started here."""
    if not cuda.in_use():
        return []
    driver, found = cuda.load_driver(), []
    for device, total_bytes in cuda.devices(driver) or ():
        bus = ctypes.create_string_buffer(32)
        if total_bytes is None or driver.cuDeviceGetPCIBusId(bus, 32, device):
            return []
        found.append(PciGpu(nvml.bus_id(bus.value.decode("ascii")), total_bytes))
    return found


def _short(name: str) -> str:
    return name.rpartition("device:")[2]


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
