"""The grid: which settings are compared, on which machines, with which allocations.

Every value has an entry without other values, and every pair of values is in some entry; the rest of the grid contains
as many triples as possible. Values that hide all others (no GPU is left) and combinations that TensorFlow 1 refuses
aren't drawn, but have entries of their own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Iterator

from . import by_hand
from .drawing import Values, draw
from .entries import MACHINES, MIB, Entry, allocations_for

FRACTIONS = {
    "0.05": 0.05,
    "0.1": 0.1,
    "1/3": 1 / 3,
    "0.4": 0.4,
    "0.5": 0.5,
    "0.9": 0.9,
    "0.999": 0.999,
    "1.0": 1.0,
    "1.5": 1.5,
}
# The sizes of the logical devices on each GPU, in MiB; then the number by which the second GPU's are smaller.
LIMITS = {"limit": (600,), "two virtual": (500, 250), "three virtual": (300, 200, 100)}
LESS_ON_THE_SECOND = 50

FACTORS = {
    "memory": ["-", *FRACTIONS, *LIMITS],
    "growth": ["-", "growth"],
    "visible": ["-", "0", "1", "1,0"],
    "CUDA": ["-", "0", "1", "1,0"],
    "count": ["-", "GPU:1", "GPU:5"],
    "machine": list(MACHINES),
}
NOTHING = {"memory": "-", "growth": "-", "visible": "-", "CUDA": "-", "count": "-", "machine": "two alike"}
DRAWN = 150


@lru_cache(maxsize=None)
def entries() -> tuple[Entry, ...]:
    """Returns the whole grid, in order; each entry has another name."""
    by_name: dict[str, Entry] = {}
    for values in _all_values():
        entry = entry_of(values)
        by_name.setdefault(entry.name, entry)
    for entry in by_hand.entries():
        assert entry.name not in by_name, entry.name
        by_name[entry.name] = entry
    return tuple(by_name.values())


def entry_of(values: Values) -> Entry:
    """Returns the entry for drawn values."""
    gpus = MACHINES[values["machine"]]
    order = _order(values)
    memory = values["memory"]
    options: dict[str, Any] = {}
    config: dict[str, Any] = {}
    if values["growth"] == "growth":
        options["allow_growth"] = True
    if values["visible"] != "-":
        options["visible_device_list"] = values["visible"]
    if memory in FRACTIONS:
        options["per_process_gpu_memory_fraction"] = FRACTIONS[memory]
    caps = []
    for place, gpu in enumerate(order):
        if memory in LIMITS:
            caps += [limit - LESS_ON_THE_SECOND * place for limit in LIMITS[memory]]
        else:
            caps.append(int(gpus[gpu] * FRACTIONS.get(memory, 0)) // MIB)
    if memory in LIMITS:
        size = len(LIMITS[memory])
        devices = [{"memory_limit_mb": caps[first : first + size]} for first in range(0, len(caps), size)]
        options["experimental"] = {"virtual_devices": devices}
    if options:
        config["gpu_options"] = options
    if values["count"] != "-":
        config["device_count"] = {"GPU": int(values["count"].rsplit(":", 1)[1])}
        if memory not in LIMITS:
            order = order[: config["device_count"]["GPU"]]
    whole = [gpus[gpu] // MIB for gpu in order] if memory == "-" else None
    allocations = allocations_for(whole or caps[: len(order) * len(LIMITS.get(memory, "1"))], whole is not None)
    return Entry(
        name=_name(values), config=config, gpus=gpus, visible=None if values["CUDA"] == "-" else values["CUDA"],
        allocations=allocations, values=values,
    )  # fmt: skip


def _name(values: Values) -> str:
    words = {
        "memory": "fraction {}" if values["memory"] in FRACTIONS else "{}",
        "growth": "{}",
        "visible": "visible {}",
        "count": "count {}",
        "CUDA": "CUDA {}",
        "machine": "{}",
    }
    parts = [words[factor].format(values[factor]) for factor in words if values[factor] != "-"]
    return "; ".join(parts if len(parts) > 1 else ["nothing", *parts])


def _order(values: Values) -> list[int]:
    """Returns the machine's numbers of the GPUs that are visible under the drawn values, in their order."""
    gpus = list(range(len(MACHINES[values["machine"]])))
    if values["CUDA"] != "-":
        gpus = [int(word) for word in values["CUDA"].split(",") if int(word) in gpus]
    if values["visible"] != "-":
        gpus = [gpus[int(word)] for word in values["visible"].split(",") if int(word) < len(gpus)]
    return gpus


def fits(values: Values) -> bool:
    """Returns True if TensorFlow 1 accepts the combination of values, and no value hides another."""
    gpus = len(MACHINES[values["machine"]])
    if values["CUDA"] != "-":
        listed = [int(word) for word in values["CUDA"].split(",")]
        if max(listed) >= gpus:
            return False  # CUDA's list ends there
        gpus = len(listed)
    if values["visible"] != "-":
        listed = [int(word) for word in values["visible"].split(",")]
        if max(listed) >= gpus:
            return False
    # With virtual devices, TensorFlow 1 refuses a device_count that leaves a visible GPU unused.
    return not (values["memory"] in LIMITS and values["count"] == "GPU:1" and len(_order(values)) > 1)


def _all_values() -> Iterator[Values]:
    yield NOTHING
    for factor, choices in FACTORS.items():  # each value alone, and with growth
        for choice in choices:
            alone = dict(NOTHING, **{factor: choice})
            if fits(alone):
                yield alone
                yield dict(alone, growth="growth")
    yield from draw(FACTORS, fits, DRAWN)
    for factor, choices in FACTORS.items():  # no GPU at all, with each value
        for choice in choices:
            hidden = dict(NOTHING, **{factor: choice, "count": "GPU:0"})
            if fits(hidden) and choice not in LIMITS:
                yield hidden
