"""Computes the figures to expect of each version from those of 1.15.5, by TensorFlow's own changes since.

The truth says what each logical GPU may take on 1.15.5. From that, from the version and from the allocations asked for,
`expected` computes what another version has to show: the same, but for the changes listed here. On 1.15.5 itself it has
to come to the truth, which a test checks for the whole grid; so these rules are no less strict than the truth is.

Where TensorFlow says it (tensorflow/core/common_runtime/ unless said otherwise):

reserve_bytes       gpu/gpu_device.cc, MinSystemMemory: what is kept back where a config sets neither a fraction nor a
                    limit. 1.15: 225 MiB below 2 GiB of free memory, else the larger of 300 MiB and 5 %.
                    2.4: 6 % in place of the 5 % (so pull request 44810 calls it, which replaced it).
                    2.5, by that pull request, "Use fixed arch-specific device memory reserve": from 2 GiB 500 MiB up to
                    compute capability 6.x, 1050 MiB for 7.x, 1536 MiB for 8.x; later 1800 MiB for 9.x and up.
first_region_bytes  bfc_allocator.cc, the constructor: the first region of a growing GPU. 1.15: "1MiB smallest initial
                    allocation"; later "2MiB smallest initial allocation" (commit 010f3edcdc25, line 47).
page_bytes          2.22: memory comes in pages of CUDA's virtual memory management, and the allocator counts the pages
                    that it was given (openxla/xla, pull requests 43125, "Switch default CUDA device allocator to VMM",
                    and 42195, "now correctly report the true size"). A cap that isn't a whole number of pages is
                    overrun by the last one; what is left below it is then a huge number, and the cap is lost. So
                    tf1mem rounds caps down to pages there; where nothing is set, the model below loses it too.
Allocator           bfc_allocator.cc, Extend, FindChunkPtr and RoundedBytes: the same rules in every version.
"""

from __future__ import annotations

import math
import struct
from typing import Any, Sequence

from packaging.version import Version

from .entries import Entry

MIB = 2**20

# The machines' GPUs have the simulator's default compute capability.
COMPUTE_CAPABILITY_MAJOR = 7

# allocator.h, kMinAllocationSize; bfc_allocator.h, kMaxInternalFragmentation.
_GRANULE = 256
_SPLIT_FROM = 128 * MIB
# gpu/gpu_device.cc, InitScratchBuffers: Eigen's, on every GPU's first use (Eigen::kGpuScratchSize and a counter).
_SCRATCH_BYTES = 1024 + 4


def reserve_bytes(version: Version, free_bytes: int) -> int:
    """Returns how many bytes a TensorFlow keeps back of a GPU where the config says nothing about it."""
    if free_bytes < 2**31:
        return 225 * MIB
    if version.release < (2, 4):
        return max(300 * MIB, int(free_bytes * 0.05))
    if version.release < (2, 5):
        return max(300 * MIB, int(_float32(free_bytes * _float32(0.06))))
    return {5: 500, 6: 500, 7: 1050, 8: 1536}.get(COMPUTE_CAPABILITY_MAJOR, 1800) * MIB


def first_region_bytes(version: Version) -> int:
    """The least that a growing GPU begins with."""
    return (1 if version.release < (2, 5) else 2) * MIB


def page_bytes(version: Version) -> int:
    """Returns the size of the pages, in bytes, in which a TensorFlow asks the driver for memory."""
    return 1 if version.release < (2, 22) else 2 * MIB


class Allocator:
    """The regions that TensorFlow's BFC allocator asks of the driver, for allocations that are never freed.

    Args:
        limit: The most that it may take, in bytes.
        grows: True if it grows; False if it takes the limit at once.
        first: `first_region_bytes`.
        left: The free bytes of the GPU: a list of one number, shared by all allocators on that GPU.
        pages: `page_bytes`.
    """

    def __init__(self, limit: int, grows: bool, first: int, left: list[float], pages: int = 1) -> None:
        self.regions: list[int] = []
        self._used = False
        self._limit = limit
        self._left = left
        self._pages = pages
        self._backpedalled = False
        self._next = _rounded_up(min(limit, first) if grows else limit)
        self._free: list[int] = []

    def take(self, size: int) -> bool:
        """Allocates; whether there was room."""
        if not self._used:
            self._used = True
            self.take(_SCRATCH_BYTES)
        size = _rounded_up(size)
        fitting = [chunk for chunk in self._free if chunk >= size]
        if not fitting:
            if not self._extend(size):
                return False
            fitting = [self._free[-1]]
        chunk = min(fitting)
        self._free.remove(chunk)
        if chunk >= 2 * size or chunk - size >= _SPLIT_FROM:
            self._free.append(chunk - size)
        return True

    def _extend(self, size: int) -> bool:
        room = (self._limit - sum(self.regions)) % 2**64 // _GRANULE * _GRANULE  # as a size_t reckons
        if size > room:
            return False
        increased = size > self._next
        while size > self._next:
            self._next *= 2
        region = self._reserve(min(self._next, room), size)
        if not region:
            return False
        if not increased:
            self._next *= 2
        self.regions.append(region)
        self._free.append(region)
        return True

    def _reserve(self, size: int, least: int) -> int:
        """Asks the driver; once in its life, if that is refused, for a tenth less each time."""
        if self._paged(size) > self._left[0]:
            if self._backpedalled:
                return 0
            self._backpedalled = True
            while self._paged(size) > self._left[0]:
                size = _rounded_up(int(_float32(_float32(size) * _float32(0.9))))
                if size < least:
                    return 0
        self._left[0] -= self._paged(size)
        return self._paged(size)

    def _paged(self, size: int) -> int:
        return -(-size // self._pages) * self._pages


def expected(entry: Entry, truth: dict[str, Any], version: Version) -> dict[str, Any]:
    """Computes the observation to expect of a version for an entry, from that of 1.15.5.

    Args:
        entry: The entry.
        truth: The entry's observation on 1.15.5, with "limits".
        version: The version that is to show it.

    Returns:
        An observation.
    """
    decided = entry.config if entry.decided is None else entry.decided
    places = list(enumerate(truth["physical"]))

    managed = _fraction(decided) > 1
    pages = 1 if managed else page_bytes(version)

    def whole(gpu: int | None) -> int:
        return 0 if gpu is None else entry.gpus[gpu] - reserve_bytes(version, entry.gpus[gpu])

    if entry.decided is None:
        limits = [whole(gpu) if is_whole(decided, place) else truth["limits"][place] for place, gpu in places]
    else:  # the limits are those of the allocators that came first
        limits = [
            whole(gpu) if is_whole(decided, 0) else int(_fraction(decided) * entry.gpus[gpu]) for _, gpu in places
        ]
    grows = decided.get("gpu_options", {}).get("allow_growth", False)
    limits = [limit if is_whole(decided, place) else limit // pages * pages for place, limit in enumerate(limits)]
    first = first_region_bytes(version)
    left = [[math.inf if managed else float(size)] for size in entry.gpus]
    allocators = [Allocator(limits[place], grows, first, left[gpu or 0], pages) for place, gpu in places]
    outcomes = []
    for gpu, size in (*_asked_before(entry), *entry.asks):
        if gpu >= len(allocators):
            outcomes.append("InvalidArgumentError")
        else:
            outcomes.append("ok" if allocators[gpu].take(size) else "refused")
    regions = [[f"m{size}" if managed else size for size in each.regions] for each in allocators]
    return {
        "limits": limits,
        "physical": [gpu if region_sizes else None for (_, gpu), region_sizes in zip(places, regions)],
        "regions": regions,
        "outcomes": " ".join(outcomes),
    }


def _asked_before(entry: Entry) -> list[tuple[int, int]]:
    """The allocations of what comes before the config: programs/allocating.py."""
    return [(0, MIB) for step, _ in entry.before if step in ("eager op", "Session")]


def _fraction(config: dict[str, Any]) -> float:
    return float(config.get("gpu_options", {}).get("per_process_gpu_memory_fraction", 0))


def is_whole(config: dict[str, Any], place: int) -> bool:
    """Tells whether nothing in a config limits a logical GPU."""
    if _fraction(config):
        return False
    devices = config.get("gpu_options", {}).get("experimental", {}).get("virtual_devices", [])
    sizes: Sequence[float] = [size for entry in devices for size in entry["memory_limit_mb"] or [0]]
    return place >= len(sizes) or not sizes[place]


def _rounded_up(size: int) -> int:
    return -(-size // _GRANULE) * _GRANULE


def _float32(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])
