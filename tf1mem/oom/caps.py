"""Finds the cap in force, and the config and setting that set it.

A config passed to TensorFlow isn't always in force: the first GPU device that a process creates decides. So this reads
the limit from TensorFlow, and looks for the setting that amounts to exactly that limit.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any, Sequence

from tf1mem.applying.report import DONE, HANDED
from tf1mem.machine.runtime import FORCE_GROWTH
from tf1mem.oom import origins
from tf1mem.oom.shortage import BY_DEFAULT, BY_FRACTION, BY_LIMIT, MANAGED, Cap, Growth
from tf1mem.planning.memory_pages import PAGE_MIB
from tf1mem.planning.steps import shown
from tf1mem.settings.field_names import FRACTION, GROWTH, VIRTUAL
from tf1mem.settings.units import MIB

_PAGE = PAGE_MIB * MIB  # from TensorFlow 2.22 on caps are whole pages


@dataclass(frozen=True)
class Carrier:
    """A config that was passed to TensorFlow.

    Attributes:
        owner: The config's owner, such as "the Session's config".
        options: The config's GPUOptions.
    """

    owner: str
    options: Any


def carriers(session: Any, eager: Any) -> list[Carrier]:
    """Returns the configs that may have set the cap: the Session's first, then the eager context's."""
    configs = []
    config = getattr(session, "_config", None)
    if config is not None:
        owner = "the Session's config" + (", by tf1mem.apply" if _applied() else "")
        configs.append(Carrier(owner, config.gpu_options))
    if eager is not None and hasattr(eager, "config"):
        options = eager.config.gpu_options
        if not configs or configs[0].options != options:
            configs.append(Carrier(_owner_of_context(), options))
    return configs


def decide(
    actual: int | None, part: int, place: int, total: int | None, configs: Sequence[Carrier]
) -> tuple[Cap, Carrier | None]:
    """Returns the cap in force, and the config that set it.

    Args:
        actual: The limit that TensorFlow reports, in bytes, or None if it reports none.
        part: The index of the logical device among those of its physical GPU.
        place: The index of the physical GPU among the visible ones.
        total: The memory of the physical GPU in bytes, or None.
        configs: The configs that may have set the cap.

    Returns:
        The cap, and the config that set it, or None if no config did.
    """
    ignored: list[str] = []
    for carrier in configs:
        cap = _cap_of(carrier, part, place, total)
        if cap is None:
            continue
        if actual is None or cap.size_bytes is None or abs(actual - cap.size_bytes) <= _PAGE:
            size = cap.size_bytes if actual is None else actual
            return Cap(size, cap.kind, cap.setting, cap.owner, cap.where, cap.parts, tuple(ignored)), carrier
        ignored.append("{}, of {}{}".format(cap.setting, cap.owner, ", " + cap.where if cap.where else ""))
    if actual is None and not configs:
        return Cap(), None
    return Cap(actual, BY_DEFAULT, ignored=tuple(ignored)), configs[0] if configs and not ignored else None


def growth(carrier: Carrier | None) -> Growth | None:
    """Returns the memory growth in force, None if unknown; TF_FORCE_GPU_ALLOW_GROWTH overrides every config."""
    forced = os.environ.get(FORCE_GROWTH, "").lower()
    if forced in ("true", "1", "false", "0"):
        return Growth(forced in ("true", "1"), f"{FORCE_GROWTH}={os.environ[FORCE_GROWTH]}", "environment")
    if carrier is None:
        return None
    if carrier.options.allow_growth:
        return Growth(True, "allow_growth=True", origins.where(GROWTH, True))
    return Growth(False)


def _cap_of(carrier: Carrier, part: int, place: int, total: int | None) -> Cap | None:
    """Returns the cap that a config sets for a logical device; None if it sets none."""
    options = carrier.options
    fraction = options.per_process_gpu_memory_fraction
    if fraction:
        return Cap(
            None if total is None else int(total * fraction),
            MANAGED if fraction > 1 else BY_FRACTION,
            _spelled(float(fraction), fraction * total if total is not None else None, total),
            carrier.owner,
            origins.where(FRACTION, fraction),
        )
    splits = [tuple(entry.memory_limit_mb) for entry in options.experimental.virtual_devices]
    parts = splits[place] if place < len(splits) else ()
    if part >= len(parts):
        return None
    spelled = f"a memory limit of {parts[part]:g} MiB"
    if len(parts) > 1:
        spelled += f", part {part + 1} of {len(parts)} of the GPU"
    elif _applied_fraction(parts[part] * MIB, total) is not None:
        spelled = f"{_spelled(0.0, parts[part] * MIB, total)}, as {spelled}"
    return Cap(int(parts[part]) * MIB, BY_LIMIT, spelled, carrier.owner, origins.where(VIRTUAL, parts), parts)


def _spelled(fraction: float, size: float | None, total: int | None) -> str:
    """Returns a fraction as the program wrote it; TensorFlow may have got it rounded to whole MiB or pages."""
    written = None if size is None else _applied_fraction(size, total)
    return f"per_process_gpu_memory_fraction={shown(fraction) if written is None else written}"


def _applied_fraction(size: float, total: int | None) -> str | None:
    """Returns the fraction passed to tf1mem.apply that amounts to a size in bytes, as text; None without one."""
    fractions = [line.step.value for line in _applied() if line.step.setting == FRACTION]
    return next((shown(value) for value in fractions if total and 0 <= total * value - size < _PAGE), None)


def _owner_of_context() -> str:
    """Returns what configured the eager context: tf1mem.apply if its report says so, else tf.config."""
    for line in _applied():
        if line.outcome == DONE:
            return "tf1mem.apply ({})".format(line.step.call.partition("(")[0])
    return "tf.config"


def _applied() -> list[Any]:
    """Returns the lines of tf1mem's report about caps that were set."""
    applying = sys.modules.get("tf1mem.applying.apply")
    lines = applying.report().lines if applying is not None else ()
    return [line for line in lines if line.step.setting in (FRACTION, VIRTUAL) and line.outcome in (DONE, HANDED)]
