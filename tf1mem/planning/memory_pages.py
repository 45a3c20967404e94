"""Rounds caps down to whole pages of the driver's memory, for TensorFlow 2.22 and up.

From 2.22 on TensorFlow reserves GPU memory in the pages of CUDA's virtual memory management, 2 MiB each, and counts
whole pages (openxla/xla, pull requests 43125 and 42195). If a cap isn't a whole number of pages, the last page crosses
it. The remainder below the cap is then negative, which wraps around in an unsigned number, and the next allocation may
take the whole GPU (xla/tsl/framework/bfc_allocator.cc, `Extend`). So a cap is rounded down to whole pages before it is
passed to TensorFlow.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

from tf1mem.machine.cuda import CudaGpu
from tf1mem.machine.runtime import Runtime
from tf1mem.settings.field_names import COUNT, FRACTION, VIRTUAL
from tf1mem.settings.settings import Settings
from tf1mem.settings.units import MIB

PAGE_MIB = 2


class Caps(NamedTuple):
    """The fields of a ConfigProto on GPU memory.

    Attributes:
        fraction: The `per_process_gpu_memory_fraction`, or 0 for none.
        limits_mib: The `memory_limit_mb` of each of the `virtual_devices`.
        visible: A replacement for `visible_device_list`, or None to keep it.
    """

    fraction: float
    limits_mib: Sequence[Sequence[float]]
    visible: str | None = None


def are_needed(runtime: Runtime) -> bool:
    """Returns True if this TensorFlow respects a cap only if it is a whole number of pages."""
    return runtime.version.release >= (2, 22)


def whole_pages_mib(limit_mib: float) -> int:
    """Returns a limit in MiB, rounded down to whole pages; at least one page."""
    return max(int(limit_mib) // PAGE_MIB * PAGE_MIB, PAGE_MIB)


def same_size(gpus: Sequence[CudaGpu]) -> bool:
    """Returns True if all GPUs have equal memory, so that a fraction is the same number of pages on each."""
    return len({gpu.total_bytes for gpu in gpus}) <= 1


def caps(settings: Settings, runtime: Runtime, used: Sequence[CudaGpu] | None) -> Caps | None:
    """Returns the caps of some settings in whole pages.

    Args:
        settings: The Settings that limit memory.
        runtime: The TensorFlow to plan for.
        used: The GPUs in use, in order, or None if they aren't known.

    Returns:
        The caps to pass to TensorFlow. None keeps the configured ones: there are none, this TensorFlow respects any
        cap, or the GPUs' sizes aren't known.
    """
    if not are_needed(runtime):
        return None
    fraction = settings.get(FRACTION, 0.0)
    if settings.get(VIRTUAL):
        limits = [[whole_pages_mib(limit) for limit in entry.memory_limit_mb] for entry in settings.get(VIRTUAL)]
        return Caps(0.0, limits)
    if not 0 < fraction <= 1 or not used or any(gpu.total_bytes is None for gpu in used):
        return None
    sizes = [whole_pages_mib((gpu.total_bytes or 0) * fraction / MIB) for gpu in used]
    if same_size(used):
        return Caps(_fraction_of(sizes[0] * MIB, used[0].total_bytes or 1), [])
    visible = None
    if len(used) == settings.get(COUNT, {}).get("GPU"):
        # TensorFlow wants virtual devices on every visible GPU, so GPUs that device_count leaves out must be hidden.
        visible = ",".join(str(gpu) for gpu in list(settings.visible_gpus or range(len(used)))[: len(used)])
    return Caps(0.0, [[size] for size in sizes], visible)


def _fraction_of(size: int, total: int) -> float:
    """Returns the fraction of `total` whose product in TensorFlow is `size`, and not a byte less."""
    exact = size / total
    return exact if int(total * exact) == size else (size + 0.5) / total
