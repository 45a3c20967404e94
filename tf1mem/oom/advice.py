"""What stood in the way, and what would help: decided from the facts alone, and only what the numbers support."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable, Iterator

from tf1mem.oom.facts import BY_DEFAULT, BY_FRACTION, BY_LIMIT, MANAGED, Facts
from tf1mem.settings.units import MIB, size

TOO_LARGE = "too large"  # more than the GPU has
OTHERS = "others"  # the cap leaves room, the GPU doesn't
PIECES = "pieces"  # enough is free, and in no piece that is large enough
FULL = "full"  # it doesn't fit under the cap
NOT_KNOWN = "not known"

_NEARLY_ALL = 0.8  # what a TensorFlow without settings takes, and hardly anything else does
_ASYNC_SINCE = (2, 8)  # TF_GPU_ALLOCATOR=cuda_malloc_async, in the wheels' CUDA 11.2 and up


@dataclass(frozen=True)
class Verdict:
    """What is to be said.

    Attributes:
        kind: `TOO_LARGE`, `OTHERS`, `PIECES`, `FULL` or `NOT_KNOWN`.
        why: What stood in the way, in a sentence; "" where that can't be told.
        remedies: What would help, the least trouble first.
    """

    kind: str
    why: str
    remedies: tuple[str, ...]


def judge(facts: Facts) -> Verdict:
    """What stood in the way, and what would help.

    Args:
        facts: What is known.
    """
    kind, why = _cause(facts)
    remedies = [line for remedy in _REMEDIES for line in remedy(facts, kind)]
    return Verdict(kind, why, tuple(remedies))


# --- what stood in the way -------------------------------------------------------------------------------------


def _cause(facts: Facts) -> tuple[str, str]:
    asked = facts.request.size_bytes
    if facts.host_free_bytes is not None:
        if asked is not None and asked > facts.host_free_bytes:
            return FULL, f"{size(asked)} is more than the {size(facts.host_free_bytes)} that are left"
        return NOT_KNOWN, ""
    total = facts.gpu.total_bytes if facts.gpu is not None else None
    managed = facts.cap is not None and facts.cap.kind == MANAGED
    if asked is not None and total is not None and asked > total and not managed:
        return TOO_LARGE, f"{size(asked)} is more than the whole GPU has"
    held, room, more = facts.held, facts.free_in_cap_bytes, facts.can_still_reserve_bytes
    if asked is None:
        return NOT_KNOWN, ""
    if held is None or room is None:
        return _cause_from_outside(facts, asked)
    if room < asked:
        if not held.at_failure:
            return FULL, f"{size(room)} are free under the cap, even after the step has let go of its tensors"
        return FULL, f"{size(room)} are free under the cap, {size(asked - room)} too little"
    if not held.at_failure:
        return _cause_afterwards(facts, asked)
    if more is not None and more >= asked:
        return _refused(facts, asked, more)
    largest = held.largest_free_bytes
    if largest is not None and largest < asked:
        return PIECES, _pieces(facts, room, largest)
    return NOT_KNOWN, ""


def _cause_from_outside(facts: Facts, asked: int) -> tuple[str, str]:
    """Where TensorFlow tells nothing of what is in use: by the cap, and by what the driver says."""
    cap, gpu = facts.cap, facts.gpu
    if cap is None or cap.size_bytes is None:
        return NOT_KNOWN, ""
    if asked > cap.size_bytes:
        return FULL, f"{size(asked)} is more than the whole cap"
    if gpu is not None and gpu.own_bytes is not None and cap.size_bytes - gpu.own_bytes >= asked:
        return _refused(facts, asked, cap.size_bytes - gpu.own_bytes)
    return NOT_KNOWN, ""


def _cause_afterwards(facts: Facts, asked: int) -> tuple[str, str]:
    """From figures of after the failure: the step's own tensors are gone, its peak is left."""
    held, cap = facts.held, facts.cap
    assert held is not None
    assert cap is not None
    assert cap.size_bytes is not None
    if held.peak_bytes is not None and cap.size_bytes - held.peak_bytes < asked:
        left = max(cap.size_bytes - held.peak_bytes, 0)
        return FULL, f"at the step's peak {size(left)} were free under the cap"
    gpu = facts.gpu
    if gpu is not None and gpu.own_bytes is not None and cap.size_bytes - gpu.own_bytes >= asked:
        return _refused(facts, asked, cap.size_bytes - gpu.own_bytes)
    return NOT_KNOWN, ""


def _refused(facts: Facts, asked: int, more: int) -> tuple[str, str]:
    """The allocator could have asked for more: the driver didn't have it."""
    gpu = facts.gpu
    if gpu is None or gpu.free_bytes is None or gpu.free_bytes >= asked:
        return NOT_KNOWN, ""
    return OTHERS, f"the cap leaves {size(more)} more, but only {size(gpu.free_bytes)} are free on the GPU"


def _pieces(facts: Facts, room: int, largest: int) -> str:
    text = f"fragmentation: {size(room)} are free under the cap, but the largest piece is {size(largest)}"
    if facts.growth is not None and facts.growth.on:
        text += "; growth took the memory in several regions, and a tensor lies in one"
    return text


# --- what would help -------------------------------------------------------------------------------------------


def _needed(facts: Facts) -> int | None:
    """What the cap would have to be for this one request, if nothing is lost between tensors."""
    asked, held = facts.request.size_bytes, facts.held
    if asked is None or held is None:
        return None
    in_use = held.in_use_bytes if held.at_failure or held.peak_bytes is None else held.peak_bytes
    return in_use + asked


def _available(facts: Facts) -> int | None:
    """What this process could have of the GPU: what it has, and what is free."""
    gpu = facts.gpu
    if gpu is None or gpu.free_bytes is None or gpu.own_bytes is None:
        return None
    return gpu.free_bytes + gpu.own_bytes


def _largest_that_fits(facts: Facts) -> int | None:
    """How large this one tensor could have been."""
    if facts.host_free_bytes is not None:
        return facts.host_free_bytes
    if facts.held is None or not facts.held.at_failure:
        cap = facts.cap.size_bytes if facts.cap is not None else None
        peak = facts.held.peak_bytes if facts.held is not None else None
        return None if cap is None or peak is None else max(cap - peak, 0)
    more = facts.can_still_reserve_bytes
    if more is not None and facts.gpu is not None and facts.gpu.free_bytes is not None:
        more = min(more, facts.gpu.free_bytes)
    if facts.held.largest_free_bytes is None and more is None:
        return None
    return max(facts.held.largest_free_bytes or 0, more or 0)


def _smaller_batch(facts: Facts, kind: str) -> Iterator[str]:
    asked, shape, fits = facts.request.size_bytes, facts.request.shape, _largest_that_fits(facts)
    if not shape or not asked or fits is None or shape[0] < 2:
        return
    batch, each = shape[0], asked // shape[0]
    while batch > 1 and batch * each > fits:
        batch //= 2
    if batch * each > fits or batch == shape[0]:
        return
    yield (
        f"a smaller batch, if {shape[0]} of {_shape(shape)} is the batch size: with {batch} this tensor takes "
        f"{size(batch * each)}, and {size(fits)} are free; "
        "tf1mem.fit_batch finds the size that fits"
    )


def _larger_cap(facts: Facts, kind: str) -> Iterator[str]:
    cap, needed, available = facts.cap, _needed(facts), _available(facts)
    if kind != FULL or cap is None or cap.size_bytes is None or needed is None or available is None:
        return
    total = facts.gpu.total_bytes if facts.gpu is not None else None
    if cap.kind == BY_DEFAULT or len(cap.parts) > 1 or total is None or needed > available:
        return
    there = f"{size(available)} of the GPU's {size(total)} are to be had"
    if cap.kind == BY_FRACTION:
        fraction = math.ceil(needed / total * 100) / 100
        if fraction <= 1 and fraction * total <= available:
            yield f"a larger fraction: {fraction:g} at least ({size(needed)}); {there}"
    elif cap.kind == BY_LIMIT:
        yield f"a larger limit: {math.ceil(needed / MIB):,} MiB at least; {there}"


def _growth(facts: Facts, kind: str) -> Iterator[str]:
    grows = facts.growth is not None and facts.growth.on
    cap, needed, available = facts.cap, _needed(facts), _available(facts)
    capped = cap.size_bytes if cap is not None else None
    if kind == PIECES and grows and capped is not None and available is not None and capped <= available:
        yield f"growth off: the {size(capped)} of the cap then come in one region, from the start"
    if kind == PIECES and facts.tensorflow >= _ASYNC_SINCE:
        yield "TF_GPU_ALLOCATOR=cuda_malloc_async in the environment: CUDA's own allocator, which moves free pieces"
    gpu = facts.gpu
    if gpu is None or gpu.total_bytes is None or kind == TOO_LARGE:
        return
    for holder in gpu.others:
        held = holder.held_bytes
        if held is None or held <= _NEARLY_ALL * gpu.total_bytes or (needed or 0) > gpu.total_bytes:
            continue
        who = "process {}{}".format(holder.pid, f" ({holder.name})" if holder.name else "")
        left = size(gpu.total_bytes - held)
        yield f"growth or a fraction in {who}, if it is TensorFlow: it holds all but {left} of the GPU"


def _split_otherwise(facts: Facts, kind: str) -> Iterator[str]:
    cap, needed = facts.cap, _needed(facts)
    if kind == FULL and cap is not None and len(cap.parts) > 1 and needed is not None:
        whole = int(sum(cap.parts)) * MIB
        if needed <= whole:
            yield (
                f"another split: the GPU's {len(cap.parts)} logical devices have {size(whole)} together, and "
                f"{facts.device} needs {size(needed)}"
            )
    if kind == TOO_LARGE and facts.request.size_bytes is not None:
        seen = [gpu for gpu in facts.others if gpu.logical]
        own = _available(facts) or 0
        if seen and facts.request.size_bytes <= own + sum(gpu.usable_bytes for gpu in seen):
            yield "splitting it over {} and {}, which have room for it together".format(
                facts.device, ", ".join(gpu.logical for gpu in seen)
            )


def _another_gpu(facts: Facts, kind: str) -> Iterator[str]:
    needed = _needed(facts) or facts.request.size_bytes
    if kind == NOT_KNOWN or needed is None:
        return
    here = _available(facts)
    cap = facts.cap
    if kind == FULL and cap is not None and cap.kind == BY_FRACTION:
        return  # it caps the others alike
    split = cap is not None and len(cap.parts) > 1
    more_than = (cap.size_bytes if split and cap is not None else here) or 0
    roomy = [gpu for gpu in facts.others if gpu.usable_bytes >= needed and gpu.usable_bytes > more_than]
    for gpu in sorted(roomy, key=lambda gpu: -gpu.usable_bytes)[:1]:
        room = f"it has {size(gpu.usable_bytes)} to be had, and this needs {size(needed)}"
        if gpu.logical:
            yield f"moving to {gpu.logical}, which this process sees: {room}"
        else:
            yield f"moving to GPU {gpu.number} of this machine (CUDA_VISIBLE_DEVICES={gpu.number}): {room}"
    held = facts.gpu.others_bytes if facts.gpu is not None else 0
    if kind == OTHERS and held and here is not None and needed <= here + held:
        yield f"waiting for, or ending, what else is on the GPU: it holds {size(held)}"


def _shape(shape: tuple[int, ...]) -> str:
    return "[{}]".format(",".join(str(part) for part in shape))


# The order in which they are said.
_REMEDIES: tuple[Callable[[Facts, str], Iterator[str]], ...] = (
    _smaller_batch,
    _larger_cap,
    _growth,
    _split_otherwise,
    _another_gpu,
)
