"""Decides from a shortage's figures why the request failed and what would help; advises only what they support."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterator

from tf1mem.oom.shortage import BY_FRACTION, BY_LIMIT, MANAGED, Shortage
from tf1mem.settings.units import MIB, size

TOO_LARGE = "too large"  # the request is larger than the whole GPU
OTHERS = "others"  # the cap leaves room, but other processes hold the GPU's memory
PIECES = "pieces"  # enough is free in total, but no free piece is large enough (fragmentation)
FULL = "full"  # the request doesn't fit under the cap
NOT_KNOWN = "not known"

_NEARLY_ALL = 0.8  # a process that holds more than this share of a GPU is most likely a TensorFlow without settings
_ASYNC_SINCE = (2, 8)  # TF_GPU_ALLOCATOR=cuda_malloc_async, in the wheels' CUDA 11.2 and up


@dataclass(frozen=True)
class ShortageCause:
    """The cause of a shortage, and its remedies.

    Attributes:
        kind: `TOO_LARGE`, `OTHERS`, `PIECES`, `FULL` or `NOT_KNOWN`.
        why: The cause in one sentence, or "" if it isn't known.
        remedies: One sentence for each remedy, the easiest first.
    """

    kind: str
    why: str
    remedies: tuple[str, ...]


def judge(shortage: Shortage) -> ShortageCause:
    """Returns the cause of a shortage, and its remedies.

    Args:
        shortage: The facts about one out-of-memory error.
    """
    kind, why = _cause(shortage)
    remedies = [line for remedy in _REMEDIES for line in remedy(shortage, kind)]
    return ShortageCause(kind, why, tuple(remedies))


# --- the cause -------------------------------------------------------------------------------------------------


def _cause(shortage: Shortage) -> tuple[str, str]:
    """Returns the cause of a shortage, and a sentence about it."""
    requested = shortage.request.size_bytes
    if shortage.host_free_bytes is not None:
        if requested is not None and requested > shortage.host_free_bytes:
            return FULL, f"{size(requested)} is more than the {size(shortage.host_free_bytes)} that are left"
        return NOT_KNOWN, ""
    if requested is None:
        return NOT_KNOWN, ""
    total = shortage.gpu.total_bytes
    if total is not None and requested > total and shortage.cap.kind != MANAGED:
        return TOO_LARGE, f"{size(requested)} is more than the whole GPU has"
    held, room, reservable = shortage.held, shortage.free_in_cap_bytes, shortage.can_still_reserve_bytes
    if held is None or room is None:
        return _cause_from_outside(shortage, requested)
    if room < requested:
        if not held.at_failure:
            return FULL, f"{size(room)} are free under the cap, even after the step has freed its tensors"
        return FULL, f"{size(room)} are free under the cap, {size(requested - room)} too little"
    if not held.at_failure:
        return _cause_afterwards(shortage, requested)
    if reservable is not None and reservable >= requested:
        return _refused(shortage, requested, reservable)
    largest = held.largest_free_bytes
    if largest is not None and largest < requested:
        return PIECES, _fragmentation(shortage, room, largest)
    return NOT_KNOWN, ""


def _cause_from_outside(shortage: Shortage, requested: int) -> tuple[str, str]:
    """Returns the cause by the cap and the driver's figures alone, where TensorFlow doesn't report what is in use."""
    cap_bytes = shortage.cap.size_bytes
    if cap_bytes is not None and requested > cap_bytes:
        return FULL, f"{size(requested)} is more than the whole cap"
    return _refused(shortage, requested, _left_by_driver(shortage))


def _cause_afterwards(shortage: Shortage, requested: int) -> tuple[str, str]:
    """Returns the cause by figures taken after the failure: the step's tensors are freed by then, its peak is known."""
    left = _left_at_peak(shortage)
    if left is not None and left < requested:
        return FULL, f"at the step's peak {size(left)} were free under the cap"
    return _refused(shortage, requested, _left_by_driver(shortage))


def _left_at_peak(shortage: Shortage) -> int | None:
    """Returns the bytes that were free under the cap when the step had most in use."""
    cap_bytes, peak_bytes = shortage.cap.size_bytes, shortage.held.peak_bytes if shortage.held is not None else None
    return None if cap_bytes is None or peak_bytes is None else max(cap_bytes - peak_bytes, 0)


def _left_by_driver(shortage: Shortage) -> int | None:
    """Returns the cap less what this process holds by the driver's count, in bytes."""
    cap_bytes, own_bytes = shortage.cap.size_bytes, shortage.gpu.own_bytes
    return None if cap_bytes is None or own_bytes is None else cap_bytes - own_bytes


def _refused(shortage: Shortage, requested: int, left_in_cap: int | None) -> tuple[str, str]:
    """Returns the cause `OTHERS` if the cap left room that the driver couldn't provide, else `NOT_KNOWN`.

    Args:
        shortage: The facts about the error.
        requested: The size of the request in bytes.
        left_in_cap: The bytes that the cap still allowed, or None if unknown.
    """
    free = shortage.gpu.free_bytes
    if left_in_cap is None or left_in_cap < requested or free is None or free >= requested:
        return NOT_KNOWN, ""
    return OTHERS, f"the cap leaves {size(left_in_cap)} more, but only {size(free)} are free on the GPU"


def _fragmentation(shortage: Shortage, room: int, largest: int) -> str:
    text = f"fragmentation: {size(room)} are free under the cap, but the largest piece is {size(largest)}"
    if shortage.growth is not None and shortage.growth.on:
        text += "; growth took the memory in several regions, and a tensor has to fit into one"
    return text


# --- what would help -------------------------------------------------------------------------------------------


def _largest_that_fits(shortage: Shortage) -> int | None:
    """Returns how many bytes this one tensor could have had."""
    if shortage.host_free_bytes is not None:
        return shortage.host_free_bytes
    held, more, free = shortage.held, shortage.can_still_reserve_bytes, shortage.gpu.free_bytes
    if held is None or not held.at_failure:
        return _left_at_peak(shortage)
    if more is not None and free is not None:
        more = min(more, free)
    known = [room for room in (held.largest_free_bytes, more) if room is not None]
    return max(known) if known else None


def _smaller_batch(shortage: Shortage, kind: str) -> Iterator[str]:
    requested, shape, fits = shortage.request.size_bytes, shortage.request.shape, _largest_that_fits(shortage)
    if not shape or not requested or fits is None or shape[0] < 2:
        return
    batch, each = shape[0], requested // shape[0]
    while batch > 1 and batch * each > fits:
        batch //= 2
    if batch * each > fits or batch == shape[0]:
        return
    yield (
        f"a smaller batch, if {shape[0]} of [{','.join(map(str, shape))}] is the batch size: with {batch} this tensor "
        f"takes {size(batch * each)}, and {size(fits)} are free; tf1mem.fit_batch finds the size that fits"
    )


def _larger_cap(shortage: Shortage, kind: str) -> Iterator[str]:
    cap, needed, available = shortage.cap, shortage.needed_bytes, shortage.gpu.reach_bytes
    total = shortage.gpu.total_bytes
    if kind != FULL or cap.size_bytes is None or len(cap.parts) > 1 or total is None:
        return
    if needed is None or available is None or needed > available:
        return
    shares = f"{size(available)} of the GPU's {size(total)} are available"
    if cap.kind == BY_FRACTION:
        fraction = math.ceil(needed / total * 100) / 100
        if fraction <= 1 and fraction * total <= available:
            yield f"a larger fraction: {fraction:g} at least ({size(needed)}); {shares}"
    elif cap.kind == BY_LIMIT:
        yield f"a larger limit: {math.ceil(needed / MIB):,} MiB at least; {shares}"


def _growth(shortage: Shortage, kind: str) -> Iterator[str]:
    grows = shortage.growth is not None and shortage.growth.on
    capped, available, needed = shortage.cap.size_bytes, shortage.gpu.reach_bytes, shortage.needed_bytes or 0
    if kind == PIECES and grows and capped is not None and available is not None and capped <= available:
        yield f"growth off: the {size(capped)} of the cap are then one region, from the start"
    if kind == PIECES and shortage.tensorflow >= _ASYNC_SINCE:
        yield "TF_GPU_ALLOCATOR=cuda_malloc_async in the environment: CUDA's own allocator, which moves free pieces"
    gpu = shortage.gpu
    if gpu.total_bytes is None or kind == TOO_LARGE or needed > gpu.total_bytes:
        return
    for holder in gpu.others:
        held = holder.held_bytes
        if held is None or held <= _NEARLY_ALL * gpu.total_bytes:
            continue
        process = "process {}{}".format(holder.pid, f" ({holder.name})" if holder.name else "")
        left = size(gpu.total_bytes - held)
        yield f"growth or a fraction in {process}, if it is TensorFlow: it holds all but {left} of the GPU"


def _split_otherwise(shortage: Shortage, kind: str) -> Iterator[str]:
    parts, needed = shortage.cap.parts, shortage.needed_bytes
    whole = int(sum(parts)) * MIB
    if kind == FULL and len(parts) > 1 and needed is not None and needed <= whole:
        yield (
            f"another split: the GPU's {len(parts)} logical devices have {size(whole)} together, and "
            f"{shortage.device} needs {size(needed)}"
        )
    if kind == TOO_LARGE and shortage.request.size_bytes is not None:
        visible = [gpu for gpu in shortage.others if gpu.logical]
        own_bytes = shortage.gpu.reach_bytes or 0
        if visible and shortage.request.size_bytes <= own_bytes + sum(gpu.usable_bytes for gpu in visible):
            yield "splitting it over {} and {}, which have room for it together".format(
                shortage.device, ", ".join(gpu.logical for gpu in visible)
            )


def _another_gpu(shortage: Shortage, kind: str) -> Iterator[str]:
    needed = shortage.needed_bytes or shortage.request.size_bytes
    if kind == NOT_KNOWN or needed is None:
        return
    cap, here = shortage.cap, shortage.gpu.reach_bytes
    if kind == FULL and cap.kind == BY_FRACTION:
        return  # the fraction caps the other GPUs, too
    more_than = (cap.size_bytes if len(cap.parts) > 1 else here) or 0
    roomy = [gpu for gpu in shortage.others if gpu.usable_bytes >= needed and gpu.usable_bytes > more_than]
    for gpu in sorted(roomy, key=lambda gpu: -gpu.usable_bytes)[:1]:
        room = f"it has {size(gpu.usable_bytes)} available, and this needs {size(needed)}"
        if gpu.logical:
            yield f"moving to {gpu.logical}, which this process sees: {room}"
        else:
            yield f"moving to GPU {gpu.number} of this machine (CUDA_VISIBLE_DEVICES={gpu.number}): {room}"
    held = shortage.gpu.others_bytes
    if kind == OTHERS and held and here is not None and needed <= here + held:
        yield f"waiting for the GPU's other processes, or ending them: they hold {size(held)}"


# The order in which the note lists them.
_REMEDIES = (_smaller_batch, _larger_cap, _growth, _split_otherwise, _another_gpu)
