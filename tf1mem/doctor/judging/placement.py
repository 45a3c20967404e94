"""Devices that were asked for and aren't there, listings that start the runtime, and logs that nobody sees."""

from __future__ import annotations

import re
from typing import Iterator

from tf1mem.doctor.findings import Finding
from tf1mem.doctor.observed import Observed, place

_DEVICE = re.compile(r"(?:^|/|:)(gpu|cpu)(?::(\d+))?$", re.IGNORECASE)


def findings(seen: Observed) -> Iterator[Finding]:
    """Findings about placement.

    Args:
        seen: What was seen of the script.
    """
    yield from _moved(seen)
    yield from _probe(seen)
    yield from _log(seen)


def _moved(seen: Observed) -> Iterator[Finding]:
    start = seen.start
    if start is None or not start["devices"] or not _soft(seen):
        return
    there = {device["name"].upper() for device in start["devices"]}
    for event in seen.of("device"):
        asked = _DEVICE.search(event["name"])
        if asked is None or "job:" in event["name"]:
            continue
        name = f"{asked.group(1).upper()}:{asked.group(2) or 0}"
        if name in there:
            continue
        where = place(event)
        yield Finding(
            "TFD212",
            "tf.device({!r}) at {} names a device that isn't there (there are {}): with soft placement on, its ops "
            "ran elsewhere without a word.".format(
                event["name"], where.short, ", ".join(sorted(name for name in there if not name.startswith("XLA")))
            ),
            "Name a device that is there; tf.config.set_soft_device_placement(False), TensorFlow 1's default, makes "
            "it an error",
            where.file,
            where.line,
        )


def _soft(seen: Observed) -> bool:
    """Whether ops may move: the eager context's last state, or a Session's config."""
    end = seen.last("end")
    if end is not None and end["soft_placement"]:
        return True
    return any(session["used"].get("allow_soft_placement") for session in seen.of("session") if "used" in session)


def _probe(seen: Observed) -> Iterator[Finding]:
    start = seen.start
    if start is None or start["by"] != "a listing of devices":
        return
    where = place(start)
    yield Finding(
        "TFD221",
        f"{where} only asks which devices there are, and starts the GPU runtime: settings that come after it are "
        "ignored.",
        "tf.config.list_physical_devices('GPU') (TensorFlow 2.1 and up) asks the same and starts nothing; or call "
        "tf1mem.apply(config) before it",
        where.file,
        where.line,
    )


def _log(seen: Observed) -> Iterator[Finding]:
    asked = [event for event in seen.of("session") if (event["given"] or {}).get("log_device_placement")]
    asked += [
        event
        for event in seen.of("setting")
        if event["call"] == "set_log_device_placement"
        and event["arguments"][-1:] == ["True"]
        and not event.get("error")
    ]
    if not asked:
        return
    first = min(asked, key=lambda event: int(event["order"]))
    where = place(first)
    level = seen.environment_at(first["order"]).get("TF_CPP_MIN_LOG_LEVEL", "0")
    if level in ("1", "2", "3") and first["event"] == "setting" and _only_logged(seen):
        yield Finding(
            "TFD213",
            f"Placement is logged from {where.short} on, and TF_CPP_MIN_LOG_LEVEL={level} hides that log.",
            "TF_CPP_MIN_LOG_LEVEL=0, set before TensorFlow is imported",
            where.file,
            where.line,
        )
    else:
        yield Finding(
            "TFD231",
            f"Placement is logged from {where.short} on, by TensorFlow's C++ to the process's own stdout and "
            "stderr: not to "
            "sys.stdout, sys.stderr, logging or a notebook's cell.",
            "Look in the terminal, or run with > placement.log 2>&1. Ops inside a Session need "
            "log_device_placement=True in that Session's own config",
            where.file,
            where.line,
        )


def _only_logged(seen: Observed) -> bool:
    """Whether eager placement goes to the log alone: from 2.10 on stdout has it too, as it always has for Sessions."""
    version = re.match(r"(\d+)\.(\d+)", seen.tensorflow or "")
    return version is None or (int(version.group(1)), int(version.group(2))) < (2, 10)
