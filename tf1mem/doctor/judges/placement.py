"""Findings about devices that do not exist, listings that start the runtime, and logs that nobody sees."""

from __future__ import annotations

import re
from typing import Iterator

from tf1mem.doctor.finding import CodemodRewrite, Finding, Kind
from tf1mem.doctor.watch.record import Record, place
from tf1mem.doctor.watch.within.record import LISTING

_DEVICE = re.compile(r"(?:^|/|:)(gpu|cpu)(?::(\d+))?$", re.IGNORECASE)


def findings(record: Record) -> Iterator[Finding]:
    """Yields findings about placement.

    Args:
        record: record of the script's process.
    """
    yield from _moved(record)
    yield from _probe(record)
    yield from _log(record)


MOVED = Kind.warning(
    "TFD212",
    "Ops asked for a device that isn't there, and ran on another.",
    "Name a device that is there; `tf.config.set_soft_device_placement(False)` makes it an error",
)


def _moved(record: Record) -> Iterator[Finding]:
    """Yields a finding for each `tf.device` of a device that isn't there, with soft placement on."""
    start = record.start
    if start is None or not start["devices"] or not _soft(record):
        return
    existing = {device["name"].upper() for device in start["devices"]}
    shown = ", ".join(sorted(name for name in existing if not name.startswith("XLA")))
    for event in record.of("device"):
        match = _DEVICE.search(event["name"])
        if match is None or "job:" in event["name"] or f"{match.group(1).upper()}:{match.group(2) or 0}" in existing:
            continue
        where = place(event)
        yield MOVED.finding(
            f"tf.device({event['name']!r}) at {where.short} names a device that isn't there (there are {shown}): with "
            "soft placement on, its ops silently ran elsewhere.",
            "Name a device that is there; tf.config.set_soft_device_placement(False), TensorFlow 1's default, makes "
            "it an error",
            where,
        )


def _soft(record: Record) -> bool:
    """Returns True if ops may move to another device: by the eager context's last state, or a Session's config."""
    end = record.last("end")
    if end is not None and end["soft_placement"]:
        return True
    return any(session["used"].get("allow_soft_placement") for session in record.of("session") if "used" in session)


PROBE = Kind.warning(
    "TFD221",
    "A listing of devices started the GPU runtime, before any setting.",
    "`tf.config.list_physical_devices('GPU')`, or `tf1mem.apply(config)` before it",
    CodemodRewrite("apply", ("TFM210",), seldom=True),
)


def _probe(record: Record) -> Iterator[Finding]:
    """Yields a finding if a listing of devices started the GPU runtime."""
    start = record.start
    if start is None or start["by"] != LISTING:
        return
    where = place(start)
    yield PROBE.finding(
        f"{where} only asks which devices there are, and starts the GPU runtime: settings that come after it are "
        "ignored.",
        "tf.config.list_physical_devices('GPU') (TensorFlow 2.1 and up) asks the same and starts nothing; or call "
        "tf1mem.apply(config) before it",
        where,
    )


HIDDEN_LOG = Kind.warning(
    "TFD213",
    "Placement is logged, and TF_CPP_MIN_LOG_LEVEL hides the log (eager ops before TensorFlow 2.10).",
    "TF_CPP_MIN_LOG_LEVEL=0 before TensorFlow is imported",
)
LOG_ELSEWHERE = Kind.note(
    "TFD231",
    "Placement is logged where notebooks, sys.stdout and sys.stderr don't show it.",
    "Look in the terminal, or `> placement.log 2>&1`",
)


def _log(record: Record) -> Iterator[Finding]:
    """Yields a finding about where the log of placement appears, if the script requests it."""
    log_events = [event for event in record.of("session") if (event["given"] or {}).get("log_device_placement")]
    log_events += [
        event
        for event in record.of("setting")
        if event["call"] == "set_log_device_placement"
        and event["arguments"][-1:] == ["True"]
        and not event.get("error")
    ]
    if not log_events:
        return
    first = min(log_events, key=lambda event: int(event["order"]))
    where = place(first)
    level = record.environment_at(first["order"]).get("TF_CPP_MIN_LOG_LEVEL", "0")
    # From 2.10 on, stdout shows eager placement too; it always showed the placement of Sessions.
    only_logged = first["event"] == "setting" and (record.release is None or record.release < (2, 10))
    if level in ("1", "2", "3") and only_logged:
        yield HIDDEN_LOG.finding(
            f"Placement is logged from {where.short} on, and TF_CPP_MIN_LOG_LEVEL={level} hides that log.",
            "TF_CPP_MIN_LOG_LEVEL=0, set before TensorFlow is imported",
            where,
        )
    else:
        yield LOG_ELSEWHERE.finding(
            f"Placement is logged from {where.short} on, by TensorFlow's C++ to the process's own stdout and stderr: "
            "not to sys.stdout, sys.stderr, logging or a notebook's cell.",
            "Look in the terminal, or run with > placement.log 2>&1. Ops inside a Session need "
            "log_device_placement=True in that Session's own config",
            where,
        )
