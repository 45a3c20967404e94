"""Caps in whole pages of the driver's memory, for TensorFlow 2.22 and up.

From 2.22 on TensorFlow takes GPU memory in the pages of CUDA's virtual memory management, 2 MiB each, and counts what
it was given (openxla/xla, pull requests 43125 and 42195). With a cap that isn't a whole number of pages the last page
lies across it; what is left below the cap is then reckoned as less than nothing in unsigned numbers, and the next
allocation may take the whole GPU (xla/tsl/framework/bfc_allocator.cc, `Extend`). So a cap is rounded down to whole
pages before TensorFlow is told.
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
    """What a ConfigProto says of the memory of GPUs.

    Attributes:
        fraction: The `per_process_gpu_memory_fraction`, or 0 for none.
        limits_mib: The `memory_limit_mb` of each of the `virtual_devices`.
        visible: Another `visible_device_list`, or None for the same.
    """

    fraction: float
    limits_mib: Sequence[Sequence[float]]
    visible: str | None = None


def are_needed(runtime: Runtime) -> bool:
    """Whether a TensorFlow holds only caps of whole pages."""
    return runtime.version.release >= (2, 22)


def whole_mib(limit_mib: float) -> int:
    """A limit in MiB, rounded down to whole pages; one page at least."""
    return max(int(limit_mib) // PAGE_MIB * PAGE_MIB, PAGE_MIB)


def same_size(gpus: Sequence[CudaGpu]) -> bool:
    """Whether one fraction is the same number of pages on all of some GPUs."""
    return len({gpu.total_bytes for gpu in gpus}) <= 1


def caps(settings: Settings, runtime: Runtime, used: Sequence[CudaGpu] | None) -> Caps | None:
    """The caps of some settings in whole pages.

    Args:
        settings: What is asked.
        runtime: The TensorFlow that is to hold them.
        used: The GPUs that it uses, in order.

    Returns:
        The caps that TensorFlow is told; or None for those asked for, where there are none, where any hold, or where
        the GPUs' sizes aren't known.
    """
    if not are_needed(runtime):
        return None
    fraction = settings.get(FRACTION, 0.0)
    if settings.get(VIRTUAL):
        limits = [[whole_mib(limit) for limit in entry.memory_limit_mb] for entry in settings.get(VIRTUAL)]
        return Caps(0.0, limits)
    if not 0 < fraction <= 1 or not used or any(gpu.total_bytes is None for gpu in used):
        return None
    sizes = [whole_mib((gpu.total_bytes or 0) * fraction / MIB) for gpu in used]
    if same_size(used):
        return Caps(_share(sizes[0] * MIB, used[0].total_bytes or 1), [])
    visible = None
    if len(used) == settings.get(COUNT, {}).get("GPU"):
        # TensorFlow wants virtual devices on every GPU that is visible, so none may be that device_count leaves out.
        visible = ",".join(str(gpu) for gpu in list(settings.visible_gpus or range(len(used)))[: len(used)])
    return Caps(0.0, [[size] for size in sizes], visible)


def _share(size: int, total: int) -> float:
    """The fraction of a total that TensorFlow multiplies to a size, and not to a byte less."""
    exact = size / total
    return exact if int(total * exact) == size else (size + 0.5) / total
