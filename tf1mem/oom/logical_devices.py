"""Reads TensorFlow's logical devices, their memory limits, the memory in use, and their physical GPUs.

It reads only what has started already: nothing here starts a runtime or creates a device.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from tf1mem.machine import cuda, eager_context, nvml
from tf1mem.machine.modules import loaded_module
from tf1mem.machine.tensorflow import is_tf1, lookup
from tf1mem.oom.snapshots import Snapshot


class PciGpu(NamedTuple):
    """A GPU that CUDA shows this process.

    Attributes:
        bus: The normalised PCI bus id.
        total_bytes: The GPU's total memory in bytes, of which per_process_gpu_memory_fraction is a fraction.
    """

    bus: str
    total_bytes: int


def session_of(error: BaseException) -> Any:
    """Returns the innermost Session in the error's traceback whose run raised it, or None without one."""
    session, trace = None, error.__traceback__
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        candidate = frame.f_locals.get("self") if frame.f_code.co_name in ("run", "_run", "_do_run") else None
        if hasattr(candidate, "list_devices") and hasattr(candidate, "_config"):
            session = candidate
    return session


def context() -> Any:
    """Returns the eager context if it has started, else None."""
    return eager_context.context_module()._context if eager_context.has_started() else None


def limits(session: Any, eager: Any) -> dict[str, int]:
    """Returns the memory limit of each logical device in bytes, by names such as "GPU:0".

    Args:
        session: The Session to read them from; None to read them from the eager context.
        eager: The eager context; it isn't read if there is a Session.

    Raises:
        Exception: TensorFlow doesn't report the limits.
    """
    if session is not None:
        return {_short(device.name): device.memory_limit_bytes for device in session.list_devices()}
    device_api, eager_api = _bindings()
    listed = eager_api.TFE_ContextListDevices(eager._handle)
    try:
        return {
            _short(device_api.TF_DeviceListName(listed, place)): device_api.TF_DeviceListMemoryBytes(listed, place)
            for place in range(device_api.TF_DeviceListCount(listed))
        }
    finally:
        device_api.TF_DeleteDeviceList(listed)


def in_use(tf: Any, session: Any, eager: Any, device: str) -> Snapshot | None:
    """Returns the memory in use now on a logical GPU, after the failed step's tensors were freed.

    Args:
        tf: The `tensorflow` module.
        session: The Session that failed, or None.
        eager: The eager context if it has started, else None.
        device: The logical device, such as "GPU:0".

    Returns:
        TensorFlow's figures, or None if this TensorFlow has no API for them.

    Raises:
        Exception: TensorFlow's own error if it doesn't answer.
    """
    if is_tf1(tf):
        return _usage_by_ops(tf, session, device)
    if eager is None:
        return None  # reading the figures would start it
    info = lookup(tf, "config.experimental.get_memory_info")  # 2.5 and up
    if info is not None:
        figures = info(device)
        return Snapshot("", figures["current"], figures["peak"])
    usage = lookup(tf, "config.experimental.get_memory_usage")  # 2.4
    return None if usage is None else Snapshot("", usage(device))


def _usage_by_ops(tf: Any, session: Any, device: str) -> Snapshot | None:
    """Reads the figures by the ops of tf.contrib.memory_stats, whose outputs lie in the host's memory.

    A separate Session runs them. It shares the GPU's allocator, which the whole process has in common, and reserves
    nothing.
    """
    try:
        from tensorflow.contrib.memory_stats.python.ops import memory_stats_ops as ops
    except ImportError:
        return None
    config = None if session is None else session._config
    graph = tf.Graph()
    with graph.as_default(), tf.device("/device:" + device):
        fetches = [ops.BytesInUse(), ops.MaxBytesInUse(), ops.BytesLimit()]
    with tf.compat.v1.Session(graph=graph, config=config) as stats_session:
        held, peak, limit = (int(figure) for figure in stats_session.run(fetches))
    return Snapshot("", held, peak, limit_bytes=limit)


def layout(options: Any, count: int) -> list[tuple[int, int]]:
    """Returns the physical GPU of each logical GPU that a config creates.

    Args:
        options: The config's GPUOptions.
        count: Number of GPUs that CUDA shows this process.

    Returns:
        For each logical GPU: the CUDA ordinal of its physical GPU, and its index among the logical GPUs there.
    """
    listed = [int(entry) for entry in options.visible_device_list.split(",") if entry.strip()]
    visible = listed or list(range(count))
    splits = [list(entry.memory_limit_mb) for entry in options.experimental.virtual_devices]
    return [
        (ordinal, part)
        for place, ordinal in enumerate(visible)
        for part in range(len(splits[place]) or 1 if place < len(splits) else 1)
    ]


def cuda_gpus() -> list[PciGpu]:
    """Returns the GPUs that CUDA shows this process, in its order; empty if CUDA hasn't started here."""
    if not cuda.in_use():
        return []
    driver, gpus = cuda.load_driver(), []
    for device, total_bytes in cuda.devices(driver) or ():
        bus = ctypes.create_string_buffer(32)
        if total_bytes is None or driver.cuDeviceGetPCIBusId(bus, 32, device):
            return []
        gpus.append(PciGpu(nvml.bus_id(bus.value.decode("ascii")), total_bytes))
    return gpus


def _short(name: str) -> str:
    return name.rpartition("device:")[2]


def _bindings() -> tuple[Any, Any]:
    """Returns the two modules that have TensorFlow's C API in Python: for device lists, and for the eager context.

    Until 2.0 both are one module.

    Raises:
        LookupError: This TensorFlow has neither.
    """
    device_api = loaded_module("python.client.pywrap_tf_session")
    eager_api = loaded_module("python.pywrap_tfe")
    both = loaded_module("python.pywrap_tensorflow")
    if device_api is not None and eager_api is not None:
        return device_api, eager_api
    if both is not None and hasattr(both, "TFE_ContextListDevices"):
        return both, both
    raise LookupError("this TensorFlow lists the eager context's devices differently")
