"""Caps in whole pages of the driver's memory, for TensorFlow 2.22 and up.

From 2.22 on TensorFlow takes GPU memory in the pages of CUDA's virtual memory management, 2 MiB each, and counts what
it was given (openxla/xla, pull requests 43125 and 42195). With a cap that isn't a whole number of pages the last page
lies across it; what is left below the cap is then reckoned as less than nothing in unsigned numbers, and the next
allocation may take the whole GPU (xla/tsl/framework/bfc_allocator.cc, `Extend`). So a cap is rounded down to whole
pages before TensorFlow is told.
"""

from __future__ import annotations

from typing import Any, Sequence

from tf1mem.machine.cuda import Gpu
from tf1mem.machine.runtime import Runtime
from tf1mem.settings import protos
from tf1mem.settings.settings import COUNT, FRACTION, VIRTUAL, Settings

MIB = 2**20
PAGE_MIB = 2


def are_needed(runtime: Runtime) -> bool:
    """Whether a TensorFlow holds only caps of whole pages."""
    return runtime.version.release >= (2, 22)


def whole_mib(limit_mib: float) -> int:
    """A limit in MiB, rounded down to whole pages; one page at least."""
    return max(int(limit_mib) // PAGE_MIB * PAGE_MIB, PAGE_MIB)


def same_size(gpus: Sequence[Gpu]) -> bool:
    """Whether one fraction is the same number of pages on all of some GPUs."""
    return len({gpu.total_bytes for gpu in gpus}) <= 1


def in_pages(config: Any, settings: Settings, runtime: Runtime, used: Sequence[Gpu] | None) -> Any:
    """A ConfigProto whose caps are whole pages.

    Args:
        config: The ConfigProto that was asked for; it stays as it is.
        settings: The same, read.
        runtime: The TensorFlow that is to take it.
        used: The GPUs that it uses, in order.

    Returns:
        A new ConfigProto for that TensorFlow, which remembers what was asked for; or `config`, where it has no cap or
        the GPUs' sizes aren't known.
    """
    if not are_needed(runtime):
        return config
    fraction = settings.get(FRACTION, 0.0)
    if settings.get(VIRTUAL):
        limits = [[whole_mib(limit) for limit in entry.memory_limit_mb] for entry in settings.get(VIRTUAL)]
        return protos.with_memory(config, 0.0, limits)
    if not 0 < fraction <= 1 or not used or any(gpu.total_bytes is None for gpu in used):
        return config
    sizes = [whole_mib((gpu.total_bytes or 0) * fraction / MIB) for gpu in used]
    if same_size(used):
        return protos.with_memory(config, _share(sizes[0] * MIB, used[0].total_bytes or 1), [])
    visible = None
    if len(used) == settings.get(COUNT, {}).get("GPU"):
        # TensorFlow wants virtual devices on every GPU that is visible, so none may be that device_count leaves out.
        visible = ",".join(str(gpu) for gpu in list(settings.visible_gpus or range(len(used)))[: len(used)])
    return protos.with_memory(config, 0.0, [[size] for size in sizes], visible)


def _share(size: int, total: int) -> float:
    """The fraction of a total that TensorFlow multiplies to a size, and not to a byte less."""
    exact = size / total
    return exact if int(total * exact) == size else (size + 0.5) / total
