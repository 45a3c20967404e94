"""What became of growth: dropped, refused, forced, or never asked for."""

from __future__ import annotations

import re
from typing import Iterator

from tf1mem.doctor.findings import Finding
from tf1mem.doctor.judging import settings as told
from tf1mem.doctor.observed import Event, Observed, place
from tf1mem.planning.memory_pages import PAGE_MIB
from tf1mem.settings.units import MIB

_FORCE = "TF_FORCE_GPU_ALLOW_GROWTH"
_LIMIT = "TF_PER_DEVICE_MEMORY_LIMIT_MB"


def findings(seen: Observed) -> Iterator[Finding]:
    """Findings about growth.

    Args:
        seen: What was seen of the script.
    """
    yield from _dropped(seen)
    yield from _not_held(seen)
    yield from _differs(seen)
    start = seen.start
    if start is not None:
        yield from _forced(seen, start)
        yield from _whole(seen, start)


def _dropped(seen: Observed) -> Iterator[Finding]:
    """Growth and then a limit on one GPU: TensorFlow drops growth (context.py, set_logical_device_configuration)."""
    start = seen.start
    if seen.environment_at(start["order"] if start else len(seen.events)).get(_FORCE) == "true":
        return
    growing: dict[str, Event] = {}
    for event in seen.of("setting"):
        if event.get("error") or not event["arguments"]:
            continue
        device = event["arguments"][0]
        if event["call"] == "set_memory_growth":
            growing.pop(device, None)
            if event["arguments"][-1] == "True":
                growing[device] = event
        elif event["call"] in told.OF_GPUS[1:3] and device in growing and "memory_limit" in event["arguments"][-1]:
            where, grown = place(event), place(growing[device])
            yield Finding(
                "TFD204",
                f"Growth of {device}, set at {grown.short}, is dropped by the memory limit at {where.short}: the "
                "whole limit is taken at "
                "once.",
                "tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=…)) gives both; or "
                "TF_FORCE_GPU_ALLOW_GROWTH=true",
                where.file,
                where.line,
            )


def _not_held(seen: Observed) -> Iterator[Finding]:
    """Caps that aren't whole pages, which TensorFlow 2.22 and up don't hold (see tf1mem/planning/memory_pages.py)."""
    start = seen.start
    release = re.match(r"(\d+)\.(\d+)", seen.tensorflow or "")
    if start is None or release is None or (int(release.group(1)), int(release.group(2))) < (2, 22):
        return
    asked = {name: value for name, value in start["settings"].items() if name in (told.FRACTION, told.VIRTUAL)}
    caps = [int(float(size)) * MIB for size in re.findall(r"memory_limit_mb: ([\d.]+)", asked.get(told.VIRTUAL, ""))]
    caps += [device.get("memory_limit_bytes") or 0 for device in start["devices"] if device["name"].startswith("GPU:")]
    broken = [cap for cap in caps if cap % (PAGE_MIB * MIB)]
    if asked and broken and asked.get(told.FRACTION, 0) <= 1:
        where = place(start)
        yield Finding(
            "TFD233",
            f"{told.text(asked)} is a cap of {broken[0]:,} bytes, no whole number of {PAGE_MIB} MiB pages: "
            f"TensorFlow {seen.tensorflow} does not hold it, and may take "
            "the whole GPU.",
            "tf1mem.apply rounds a cap down to whole pages; or choose a fraction that is one",
            where.file,
            where.line,
        )


def _differs(seen: Observed) -> Iterator[Finding]:
    for event in seen.of("start", "session", "setting"):
        if "Memory growth cannot differ" in (event.get("error") or ""):
            where = place(event)
            calls = [
                call for call in seen.of("setting") if call["call"] == "set_memory_growth" and not call.get("error")
            ]
            set_at = ", ".join(sorted({place(call).short for call in calls}))
            yield Finding(
                "TFD206",
                "Growth was set for {} only{}, and TensorFlow wants it alike on every GPU it uses; it refuses at "
                "{}.".format(
                    " and ".join(sorted({call["arguments"][0] for call in calls})) or "some GPUs",
                    f" (at {set_at})" if set_at else "",
                    where,
                ),
                "Set it for each of tf.config.list_physical_devices('GPU'), or hide the others first with "
                "tf.config.set_visible_devices",
                where.file,
                where.line,
            )


def _forced(seen: Observed, start: Event) -> Iterator[Finding]:
    value = seen.environment_at(start["order"]).get(_FORCE)
    if value not in ("true", "false") or seen.reports_of_tf1mem:
        return
    asks = bool(start["settings"].get(told.GROWTH)) or any(
        event["call"] == "set_memory_growth" and event["arguments"][-1] == "True" for event in seen.of("setting")
    )
    if asks == (value == "true"):
        return
    where = place(start)
    yield Finding(
        "TFD209",
        "TF_FORCE_GPU_ALLOW_GROWTH={} overrides the script, which asks for {} (in force from {} on).".format(
            value, "growth" if asks else "no growth", where.short
        ),
        "Unset it, if the script is to decide",
        where.file,
        where.line,
    )


def _whole(seen: Observed, start: Event) -> Iterator[Finding]:
    if not seen.gpus() or told.of_gpus(start["settings"]):
        return
    variables = seen.environment_at(start["order"])
    if variables.get(_FORCE) == "true" or _LIMIT in variables:
        return
    where = place(start)
    if start["by"] == "a Server":
        yield Finding(
            "TFD224",
            f"The Server at {where.short} was given no config: it takes nearly all memory of every GPU.",
            "Give it one: tf.distribute.Server(…, config=tf1mem.apply(config))",
            where.file,
            where.line,
        )
        return
    yield Finding(
        "TFD222",
        f"The runtime started at {where.short} with no growth and no cap: it takes nearly all memory of a GPU when "
        "it first uses "
        "it.",
        "tf1mem.apply(tf1mem.config(allow_growth=True)) before that line, or a memory_fraction, to leave some",
        where.file,
        where.line,
    )
