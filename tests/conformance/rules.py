"""Computes the observation to expect of a version from that of 1.15.5, by TensorFlow's own changes since.

The truth has each logical GPU's memory limit on 1.15.5. From that limit, the version and the requested allocations,
`expected` computes the observation of another version: the same, except for the changes listed here. For 1.15.5 itself
the result must be the truth, which a test checks for the whole grid; so these rules are as strict as the truth.

The functions here, and their sources in TensorFlow (below tensorflow/core/common_runtime/ unless said otherwise):

reserve_bytes       gpu/gpu_device.cc, MinSystemMemory: the memory left free if a config sets neither a fraction nor a
                    limit. 1.15: 225 MiB below 2 GiB of free memory, else the larger of 300 MiB and 5 %.
                    2.4: 6 % in place of the 5 %, according to pull request 44810, which replaced it.
                    2.5, by that pull request, "Use fixed arch-specific device memory reserve": from 2 GiB 500 MiB up to
                    compute capability 6.x, 1050 MiB for 7.x, 1536 MiB for 8.x; later 1800 MiB for 9.x and up.
first_region_bytes  bfc_allocator.cc, the constructor: the first region on a GPU with growth. 1.15: "1MiB smallest
                    initial allocation"; later "2MiB smallest initial allocation" (commit 010f3edcdc25, line 47).
page_bytes          2.22: memory comes in pages of CUDA's virtual memory management, and the allocator counts the pages
                    that it got (openxla/xla, pull requests 43125, "Switch default CUDA device allocator to VMM",
                    and 42195, "now correctly report the true size"). If a cap isn't a whole number of pages, the last
                    page exceeds it; the remaining bytes, an unsigned number, are then huge, and the cap is lost. So
                    tf1mem rounds caps down to pages there. If nothing is set, `Allocator` loses the cap, too.
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
# gpu/gpu_device.cc, InitScratchBuffers: Eigen's buffer on every GPU's first use (Eigen::kGpuScratchSize and a counter).
_SCRATCH_BYTES = 1024 + 4


def reserve_bytes(version: Version, free_bytes: int) -> int:
    """Returns the bytes of a GPU that a TensorFlow leaves free if the config sets neither a fraction nor a limit."""
    if free_bytes < 2**31:
        return 225 * MIB
    if version.release < (2, 4):
        return max(300 * MIB, int(free_bytes * 0.05))
    if version.release < (2, 5):
        return max(300 * MIB, int(_float32(free_bytes * _float32(0.06))))
    return {5: 500, 6: 500, 7: 1050, 8: 1536}.get(COMPUTE_CAPABILITY_MAJOR, 1800) * MIB


def first_region_bytes(version: Version) -> int:
    """Returns the least size of the first region that TensorFlow reserves on a GPU with growth."""
    return (1 if version.release < (2, 5) else 2) * MIB


def page_bytes(version: Version) -> int:
    """Returns the size of the pages, in bytes, in which a TensorFlow asks the driver for memory."""
    return 1 if version.release < (2, 22) else 2 * MIB


class Allocator:
    """A model of TensorFlow's BFC allocator: the regions that it requests from the driver, if nothing is ever freed.

    Args:
        limit: The most bytes that it may take.
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
        """Allocates a number of bytes; returns False if there is no room."""
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
        room = (self._limit - sum(self.regions)) % 2**64 // _GRANULE * _GRANULE  # as a size_t wraps around
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
        """Requests a region, and returns its size, or 0.

        At an allocator's first refusal by the driver, requests it again, each time a tenth smaller, down to `least`.
        """
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
    """Returns the observation to expect of an entry on a version.

    Args:
        entry: The entry.
        truth: The entry's observation on 1.15.5, with "limits".
        version: The version.
    """
    effective_config = entry.config if entry.effective_config is None else entry.effective_config
    places = list(enumerate(truth["physical"]))

    managed = _fraction(effective_config) > 1
    pages = 1 if managed else page_bytes(version)

    def unlimited_bytes(gpu: int | None) -> int:
        return 0 if gpu is None else entry.gpus[gpu] - reserve_bytes(version, entry.gpus[gpu])

    if entry.effective_config is None:
        limits = [
            unlimited_bytes(gpu) if is_whole(effective_config, place) else truth["limits"][place]
            for place, gpu in places
        ]
    else:  # the limits are those of the allocators that came first
        limits = [
            unlimited_bytes(gpu)
            if is_whole(effective_config, 0)
            else int(_fraction(effective_config) * entry.gpus[gpu])
            for _, gpu in places
        ]
    grows = effective_config.get("gpu_options", {}).get("allow_growth", False)
    limits = [
        limit if is_whole(effective_config, place) else limit // pages * pages for place, limit in enumerate(limits)
    ]
    first = first_region_bytes(version)
    left = [[math.inf if managed else float(size)] for size in entry.gpus]
    allocators = [Allocator(limits[place], grows, first, left[gpu or 0], pages) for place, gpu in places]
    outcomes = []
    for gpu, size in (*_earlier_allocations(entry), *entry.allocations):
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


def _earlier_allocations(entry: Entry) -> list[tuple[int, int]]:
    """Returns the allocations of the steps before the config, as programs/allocating.py makes them."""
    return [(0, MIB) for step, _ in entry.earlier_steps if step in ("eager op", "Session")]


def _fraction(config: dict[str, Any]) -> float:
    return float(config.get("gpu_options", {}).get("per_process_gpu_memory_fraction", 0))


def is_whole(config: dict[str, Any], place: int) -> bool:
    """Returns True if nothing in a config limits the logical GPU at a place, from 0."""
    if _fraction(config):
        return False
    devices = config.get("gpu_options", {}).get("experimental", {}).get("virtual_devices", [])
    sizes: Sequence[float] = [size for entry in devices for size in entry["memory_limit_mb"] or [0]]
    return place >= len(sizes) or not sizes[place]


def _rounded_up(size: int) -> int:
    return -(-size // _GRANULE) * _GRANULE


def _float32(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])
