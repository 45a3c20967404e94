"""Findings about growth and caps that are dropped, not kept to, refused, forced, or never set."""

from __future__ import annotations

import re
from typing import Iterator

from tf1mem.doctor.finding import CodemodRewrite, Finding, Kind
from tf1mem.doctor.watch.record import LIMIT_CALLS, Event, Record, gpu_settings, place, settings_text
from tf1mem.doctor.watch.within.record import SERVER
from tf1mem.machine.runtime import FORCE_GROWTH
from tf1mem.planning.memory_pages import PAGE_MIB
from tf1mem.settings.field_names import FRACTION, GROWTH, VIRTUAL
from tf1mem.settings.units import MIB

_LIMIT = "TF_PER_DEVICE_MEMORY_LIMIT_MB"


def findings(record: Record) -> Iterator[Finding]:
    """Yields findings about growth and caps.

    Args:
        record: record of the script's process.
    """
    yield from _dropped(record)
    start = record.start
    if start is not None:
        yield from _not_held(record, start)
    yield from _differs(record)
    if start is not None:
        yield from _forced(record, start)
        yield from _uncapped(record, start)


DROPPED = Kind.error(
    "TFD204",
    "Growth was dropped by a memory limit on the same GPU.",
    "`tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=…))`",
    CodemodRewrite("apply", ("TFM402",)),
)


def _dropped(record: Record) -> Iterator[Finding]:
    """Yields a finding for each limit that is set after growth on the same GPU: TensorFlow then drops growth
    (context.py, set_logical_device_configuration).
    """
    start = record.start
    if record.environment_at(start["order"] if start else len(record.events)).get(FORCE_GROWTH) == "true":
        return
    growing: dict[str, Event] = {}
    for event in record.of("setting"):
        if event.get("error") or not event["arguments"]:
            continue
        device = event["arguments"][0]
        if event["call"] == "set_memory_growth":
            growing.pop(device, None)
            if event["arguments"][-1] == "True":
                growing[device] = event
        elif event["call"] in LIMIT_CALLS and device in growing and "memory_limit" in event["arguments"][-1]:
            where, grown = place(event), place(growing[device])
            yield DROPPED.finding(
                f"Growth of {device}, set at {grown.short}, is dropped by the memory limit at {where.short}: the whole "
                "limit is taken at once.",
                "tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=…)) gives both; or "
                "TF_FORCE_GPU_ALLOW_GROWTH=true",
                where,
            )


NOT_HELD = Kind.error(
    "TFD233",
    "A cap is not a whole number of 2 MiB pages, and TensorFlow 2.22 and later don't keep to it.",
    "`tf1mem.apply(config)` rounds it down; or choose another fraction",
)


def _not_held(record: Record, start: Event) -> Iterator[Finding]:
    """Yields a finding for a cap that is not whole pages, which TensorFlow 2.22 and up ignore
    (planning/memory_pages.py).
    """
    if record.release is None or record.release < (2, 22):
        return
    settings = {name: value for name, value in start["settings"].items() if name in (FRACTION, VIRTUAL)}
    caps = [int(float(size)) * MIB for size in re.findall(r"memory_limit_mb: ([\d.]+)", settings.get(VIRTUAL, ""))]
    caps += [device.get("memory_limit_bytes") or 0 for device in start["devices"] if device["name"].startswith("GPU:")]
    broken = [cap for cap in caps if cap % (PAGE_MIB * MIB)]
    # A fraction above 1 means managed memory, which may exceed the GPU: no cap.
    if settings and broken and settings.get(FRACTION, 0) <= 1:
        yield NOT_HELD.finding(
            f"{settings_text(settings)} is a cap of {broken[0]:,} bytes, not a whole number of {PAGE_MIB} MiB pages: "
            f"TensorFlow {record.tensorflow} does not keep to it, and may take the whole GPU.",
            "tf1mem.apply rounds a cap down to whole pages; or choose a fraction that makes whole pages",
            place(start),
        )


DIFFERS = Kind.error(
    "TFD206",
    "Growth differs between GPUs, which TensorFlow refuses.",
    "Set it for every GPU, or hide the others first",
    reported_by=("TFM404",),
)


def _differs(record: Record) -> Iterator[Finding]:
    """Yields a finding where TensorFlow refuses growth that differs between GPUs."""
    for event in record.of("start", "session", "setting"):
        if "Memory growth cannot differ" not in (event.get("error") or ""):
            continue
        where = place(event)
        calls = [call for call in record.of("setting") if call["call"] == "set_memory_growth" and not call.get("error")]
        devices = " and ".join(sorted({call["arguments"][0] for call in calls})) or "some GPUs"
        lines = ", ".join(sorted({place(call).short for call in calls}))
        set_at = f" (at {lines})" if lines else ""
        yield DIFFERS.finding(
            f"Growth was set for {devices} only{set_at}, but TensorFlow requires the same on every GPU that it uses; "
            f"it refuses at {where}.",
            "Set it for each of tf.config.list_physical_devices('GPU'), or hide the others first with "
            "tf.config.set_visible_devices",
            where,
        )


FORCED = Kind.warning(
    "TFD209",
    "TF_FORCE_GPU_ALLOW_GROWTH overrode the script's growth setting.",
    "Unset it to let the script decide",
)


def _forced(record: Record, start: Event) -> Iterator[Finding]:
    """Yields a finding if TF_FORCE_GPU_ALLOW_GROWTH overrode the script's growth."""
    value = record.environment_at(start["order"]).get(FORCE_GROWTH)
    if value not in ("true", "false") or record.reports_of_tf1mem:
        return
    asks = bool(start["settings"].get(GROWTH)) or any(
        event["call"] == "set_memory_growth" and event["arguments"][-1] == "True" for event in record.of("setting")
    )
    if asks != (value == "true"):
        where = place(start)
        yield FORCED.finding(
            f"TF_FORCE_GPU_ALLOW_GROWTH={value} overrides the script, which asks for "
            f"{'growth' if asks else 'no growth'} (in force from {where.short} on).",
            where=where,
        )


SERVER_WITHOUT_CONFIG = Kind.warning(
    "TFD224",
    "A Server has no config: it takes all of each GPU.",
    "`tf.distribute.Server(…, config=tf1mem.apply(config))`",
)
NOTHING_ASKED = Kind.note(
    "TFD222",
    "The script sets neither growth nor a cap: TensorFlow takes all of each GPU.",
    "`tf1mem.apply(tf1mem.config(allow_growth=True))`, or a fraction",
)


def _uncapped(record: Record, start: Event) -> Iterator[Finding]:
    """Yields a finding if neither growth nor a cap was set, so that TensorFlow takes whole GPUs."""
    if not record.gpus() or gpu_settings(start["settings"]):
        return
    variables = record.environment_at(start["order"])
    if variables.get(FORCE_GROWTH) == "true" or _LIMIT in variables:
        return
    where = place(start)
    if start["by"] == SERVER:
        yield SERVER_WITHOUT_CONFIG.finding(
            f"The Server at {where.short} has no config: it takes nearly all memory of every GPU.",
            "Give it one: tf.distribute.Server(…, config=tf1mem.apply(config))",
            where,
        )
        return
    yield NOTHING_ASKED.finding(
        f"The runtime started at {where.short} with no growth and no cap: it takes nearly all memory of a GPU when it "
        "first uses it.",
        "tf1mem.apply(tf1mem.config(allow_growth=True)) before that line, or a memory_fraction, to leave some",
        where,
    )
