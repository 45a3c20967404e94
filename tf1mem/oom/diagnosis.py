"""Collects the facts about a shortage, each separately, so that a fact that can't be read doesn't cost the others."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Any, Callable

from tf1mem.machine import nvml
from tf1mem.machine.tensorflow import installed_version, lookup
from tf1mem.oom import caps, logical_devices, snapshots
from tf1mem.oom.messages import FailedAllocation
from tf1mem.oom.shortage import Cap, OtherGpu, Physical, Shortage
from tf1mem.oom.snapshots import Snapshot

_CONTAINER = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


class _Inquiry:
    """An out-of-memory error under diagnosis, and the facts that couldn't be read.

    Args:
        error: The error.
        request: The request that failed, by the error's message.
        tf: The `tensorflow` module.
    """

    def __init__(self, error: BaseException, request: FailedAllocation, tf: Any) -> None:
        self.error = error
        self.request = request
        self.tf = tf
        self.unknown: list[str] = []

    def attempt(self, subject: str, find: Callable[[], Any], default: Any = None) -> Any:
        """Returns the result of `find`; if that raises, returns `default` and notes `subject` as unknown."""
        try:
            return find()
        except Exception as failure:
            first = str(failure).strip().split("\n")[0][:120]
            self.unknown.append("{} ({}{})".format(subject, type(failure).__name__, ": " + first if first else ""))
            return default


def diagnose(error: BaseException, request: FailedAllocation) -> Shortage:
    """Returns the facts about an out-of-memory error, without starting or allocating anything.

    Args:
        error: The error, with its traceback.
        request: The request that failed, by the error's message.
    """
    tf: Any = sys.modules.get("tensorflow")
    version = installed_version()
    release = () if version is None else version.release[:2]
    if request.job is not None:
        return Shortage(request, request.device or "", release, elsewhere=request.job)
    if _on_host(request):
        total, free = _host_memory()
        return Shortage(request, request.device or "CPU:0", release, host_total_bytes=total, host_free_bytes=free)
    inquiry = _Inquiry(error, request, tf)
    shortage = _of_gpu(inquiry, release)
    return replace(shortage, unknown=tuple(inquiry.unknown))


def _on_host(request: FailedAllocation) -> bool:
    if request.device is not None and request.device.startswith("CPU"):
        return True
    return request.allocator is not None and not request.allocator.upper().startswith("GPU")


def _host_memory() -> tuple[int | None, int | None]:
    """Returns the host's total and available memory in bytes, or the container's if it has less; None if unknown."""
    total = free = None
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            amounts = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in file if "kB" in line}
        total, free = amounts.get("MemTotal"), amounts.get("MemAvailable")
    except (OSError, ValueError, IndexError):
        pass
    for limit_path, used_path in _CONTAINER:
        try:
            with open(limit_path, encoding="ascii") as limit_file, open(used_path, encoding="ascii") as used_file:
                limit, used = limit_file.read().strip(), int(used_file.read())
        except (OSError, ValueError):
            continue
        if limit.isdigit() and (total is None or int(limit) < total):
            left = max(int(limit) - used, 0)
            return int(limit), left if free is None else min(left, free)
    return total, free


def _of_gpu(inquiry: _Inquiry, release: tuple[int, ...]) -> Shortage:
    """Returns the facts about a shortage on a GPU."""
    session = inquiry.attempt("the Session", lambda: logical_devices.session_of(inquiry.error))
    eager = inquiry.attempt("the eager context", logical_devices.context)
    limits: dict[str, int] = {}
    if session is not None or eager is not None:
        limits = inquiry.attempt("the limit that TensorFlow holds", lambda: logical_devices.limits(session, eager), {})
    snapshot = inquiry.attempt("the allocator's chunks", lambda: snapshots.newest(inquiry.request.allocator))
    device = inquiry.request.device or _only_gpu(limits, snapshot)
    if not device:
        inquiry.unknown.append("which GPU (the message doesn't name it, and there are several)")
        return Shortage(inquiry.request, "", release, held=snapshot)
    configs = inquiry.attempt("the configs", lambda: caps.carriers(session, eager), [])
    cuda = inquiry.attempt("CUDA's GPUs", logical_devices.cuda_gpus, [])
    index = int(device.partition(":")[2])
    options = configs[0].options if configs else None
    layout: list[tuple[int, int]] = []
    if configs:
        layout = inquiry.attempt(
            "the physical GPU of " + device, lambda: logical_devices.layout(options, len(cuda)), []
        )
    ordinal, part = layout[index] if index < len(layout) else (index, 0)
    ordinals = list(dict.fromkeys(pair[0] for pair in layout))
    # The index among the physical GPUs that this process sees.
    place = ordinals.index(ordinal) if ordinal in ordinals else 0
    total = cuda[ordinal].total_bytes if ordinal < len(cuda) else None
    held = snapshot or inquiry.attempt(
        "what is in use", lambda: logical_devices.in_use(inquiry.tf, session, eager, device)
    )
    if limits.get(device) is None and held is not None and held.limit_bytes is not None:
        limits = {**limits, device: held.limit_bytes}
    cap, carrier = inquiry.attempt(
        "the cap", lambda: caps.decide(limits.get(device), part, place, total, configs), (Cap(), None)
    )
    growth = inquiry.attempt("growth", lambda: caps.growth(carrier))
    gpu, others = _gpus(inquiry, cuda, ordinal, total, layout)
    if held is None:
        inquiry.unknown.append(_why_in_use_is_unknown(release))
    return Shortage(inquiry.request, device, release, "", cap, growth, held, gpu, others)


def _only_gpu(limits: dict[str, int], snapshot: Snapshot | None) -> str:
    """Returns the GPU that the error must be about if the message doesn't name it, or ""."""
    gpus = [name for name in limits if name.startswith("GPU")]
    if len(gpus) == 1:
        return gpus[0]
    words = snapshot.allocator.split("_") if snapshot is not None else []
    return "GPU:" + words[1] if len(words) > 1 and words[1].isdigit() else ""


def _why_in_use_is_unknown(release: tuple[int, ...]) -> str:
    if release and release < (2, 1):
        return "what is in use (TensorFlow {}.{} doesn't report it)".format(*release[:2])
    if os.environ.get("TF_GPU_ALLOCATOR"):
        return "what is in use (TF_GPU_ALLOCATOR={} doesn't report it)".format(os.environ["TF_GPU_ALLOCATOR"])
    return "what is in use (TensorFlow left no snapshot of its allocator)"


def _gpus(
    inquiry: _Inquiry,
    cuda: list[logical_devices.PciGpu],
    ordinal: int,
    total: int | None,
    layout: list[tuple[int, int]],
) -> tuple[Physical, tuple[OtherGpu, ...]]:
    """Returns the physical GPU of the shortage, and the machine's others, as NVML shows them."""
    nvml_gpus, why = inquiry.attempt("who else holds memory", nvml.ask, ((), ""))
    if why:
        inquiry.unknown.append(f"who else holds memory ({why})")
    if not nvml_gpus or ordinal >= len(cuda):
        return Physical(total_bytes=total), ()
    by_bus = {gpu.bus: gpu for gpu in nvml_gpus}
    device = by_bus.get(cuda[ordinal].bus)
    if device is None:
        inquiry.unknown.append(f"who else holds memory (the driver lists no GPU at {cuda[ordinal].bus})")
        return Physical(total_bytes=total), ()
    buses = [gpu.bus for gpu in cuda]
    # Reversed, so that a GPU that is split gets the name of its first part.
    logical = {pair[0]: f"GPU:{place}" for place, pair in reversed(list(enumerate(layout)))}
    others = tuple(
        _other(inquiry, gpu, logical.get(buses.index(gpu.bus), "") if gpu.bus in buses else "")
        for gpu in nvml_gpus
        if gpu is not device
    )
    return _physical(device, total), others


def _physical(gpu: nvml.NvmlGpu, total: int | None) -> Physical:
    """Returns a physical GPU with the processes that hold its memory."""
    own_holders = [holder for holder in gpu.holders if holder.pid == os.getpid()]
    others = tuple(holder for holder in gpu.holders if holder.pid != os.getpid())
    named = sum(holder.held_bytes or 0 for holder in gpu.holders)
    all_known = own_holders and all(holder.held_bytes is not None for holder in gpu.holders)
    return Physical(
        gpu.name,
        gpu.number,
        total or gpu.total_bytes,
        gpu.free_bytes,
        own_holders[0].held_bytes if own_holders else None,
        others,
        max(gpu.total_bytes - gpu.free_bytes - named, 0) if all_known else 0,
        bool(own_holders),
    )


def _other(inquiry: _Inquiry, gpu: nvml.NvmlGpu, logical: str) -> OtherGpu:
    """Returns another GPU; memory that this process has reserved there counts as free if no tensor holds it."""
    own_bytes = sum(holder.held_bytes or 0 for holder in gpu.holders if holder.pid == os.getpid())
    reusable = 0
    if own_bytes and logical:
        info = lookup(inquiry.tf, "config.experimental.get_memory_info")
        eager = logical_devices.context()
        if info is not None and eager is not None:
            used = inquiry.attempt("what is in use on " + logical, lambda: info(logical)["current"], own_bytes)
            reusable = max(own_bytes - used, 0)
    return OtherGpu(gpu.number, logical, gpu.free_bytes + reusable)
