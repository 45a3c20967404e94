"""Entries for the classic traps: a program does something before its config that makes the config ineffective.

TensorFlow reads GPU settings once, when it makes the first device, so whatever came first decides. `tf1mem.v1` and
`tf1mem run` have to go on as TensorFlow 1 did. `tf1mem.apply` raises `RuntimeAlreadyStarted`, since its caller can move
it to the front.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Iterator

from .by_hand import ONE, SIZES, TWO, fraction, options, virtual, visible
from .entries import LATE, ORDER_LOST, Entry, allocations_for, mib

NOTHING: dict[str, Any] = {}
GROWTH = options(allow_growth=True)
BOTH = fraction(0.4, allow_growth=True)
GPU_1_GROWS = options(visible_device_list="1", allow_growth=True)

LISTED, GROWS = "list_physical_devices", "growth of GPU 0"
STARTS = ("eager op", "list_local_devices", "is_gpu_available")

# Allocations on one GPU: under no cap, under a fraction of 0.4 (614 MiB), under one of 0.1 (153 MiB).
_WHOLE_GPU, _FRACTION_0_4, _FRACTION_0_1 = (
    allocations_for(mib(*ONE), True),
    allocations_for([614], False),
    allocations_for([153], False),
)
_ONE_OF_TWO, _BOTH_OF_TWO = allocations_for(mib(TWO[0]), True), allocations_for(mib(*TWO), True)


@lru_cache(maxsize=None)
def entries() -> tuple[Entry, ...]:
    """Returns the entries of all traps."""
    return (*_started(), *_sessions(), *_listed(), *_applied())


def _trap(
    name: str, step: str, config: Any, gpus: tuple[int, ...], allocations: Any, first: Any = None, **more: Any
) -> Entry:
    return Entry(name, config, gpus, None, allocations, earlier_steps=((step, first),), **more)


def _started() -> Iterator[Entry]:
    """Yields entries in which something starts the runtime before the config, and takes the whole GPU."""
    for start in STARTS:
        for words, config in (("fraction 0.4", fraction(0.4)), ("growth", GROWTH)):
            yield _trap(
                f"{start}, then {words}", start, config, ONE, _WHOLE_GPU, effective_config=NOTHING, apply_outcome=LATE
            )


def _sessions() -> Iterator[Entry]:
    """Yields entries with two Sessions, of which the first decides."""
    for words, first, config, gpus, allocations in (
        ("with fraction 0.4, then with 0.1", fraction(0.4), fraction(0.1), ONE, _FRACTION_0_4),
        ("without growth, then with", NOTHING, GROWTH, ONE, _WHOLE_GPU),
        ("with growth, then with fraction 0.4", GROWTH, fraction(0.4), ONE, _WHOLE_GPU),
        ("on GPU 0, then on GPU 1", visible("0"), visible("1"), TWO, _ONE_OF_TWO),
        ("on GPUs 1,0, then on 0,1", visible("1,0"), visible("0,1"), SIZES, allocations_for(mib(SIZES[0]), True)),
    ):
        yield _trap(
            "a Session " + words,
            "Session",
            config,
            gpus,
            allocations,
            first,
            effective_config=first,
            apply_outcome=LATE,
        )
    yield _trap("a Session with both, then the same", "Session", BOTH, ONE, _FRACTION_0_4, BOTH, effective_config=BOTH)


def _listed() -> Iterator[Entry]:
    """Yields entries in which a call of tf.config lists GPUs or sets growth before the config."""
    yield Entry("growth of GPU 1 of two", GPU_1_GROWS, TWO, None, _ONE_OF_TWO)
    yield _trap("growth of GPU 0 by tf.config, then of both", GROWS, GROWTH, TWO, _BOTH_OF_TWO)
    yield _trap("growth of GPU 0 by tf.config, then GPU 1 with growth", GROWS, GPU_1_GROWS, TWO, _ONE_OF_TWO)
    for words, config, gpus, allocations in (
        ("fraction 0.4", fraction(0.4), ONE, _FRACTION_0_4),
        ("both", BOTH, ONE, _FRACTION_0_4),
        ("visible 1", visible("1"), SIZES, allocations_for(mib(SIZES[1]), True)),
        ("two virtual", virtual((500, 250)), ONE, allocations_for([500, 250], False)),
    ):
        yield _trap(f"{LISTED}, then {words}", LISTED, config, gpus, allocations)
    order, allocations = visible("1,0"), allocations_for(mib(*SIZES[::-1]), True)
    yield _trap(LISTED + ", then visible 1,0", LISTED, order, SIZES, allocations, apply_outcome=ORDER_LOST)


def _applied() -> Iterator[Entry]:
    """Yields entries with two calls of apply before anything starts the runtime: the second one takes effect.

    On TensorFlow 1.15.5, which has no apply, the second config alone was recorded.
    """
    for words, first, config, gpus, allocations in (
        ("fraction 0.4, then with 0.1", fraction(0.4), fraction(0.1), ONE, _FRACTION_0_1),
        ("growth, then without", GROWTH, NOTHING, ONE, _WHOLE_GPU),
        ("GPU 1, then with GPU 0", visible("1"), visible("0"), TWO, _ONE_OF_TWO),
        ("two virtual, then with growth", virtual((500, 250)), GROWTH, ONE, _WHOLE_GPU),
    ):
        yield _trap("apply with " + words, "apply", config, gpus, allocations, first)
    first, config, allocations = visible("1,0"), visible("0,1"), allocations_for(mib(*SIZES), True)
    # The first apply started CUDA, to find out the order of the GPUs.
    yield _trap("apply with GPUs 1,0, then with 0,1", "apply", config, SIZES, allocations, first, apply_outcome=LATE)
