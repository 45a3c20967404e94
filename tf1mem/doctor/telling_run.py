"""The doctor's page about a script: what started the GPUs, what held, what it took, what is wrong, and the mend."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Any, Iterator, Sequence

from tf1mem import __version__
from tf1mem.doctor import telling
from tf1mem.doctor.findings import Finding
from tf1mem.doctor.judging import settings as told
from tf1mem.doctor.mending import Mend
from tf1mem.doctor.observed import Event, place
from tf1mem.doctor.running import Ran
from tf1mem.doctor.telling import Paint, plain
from tf1mem.settings.units import size

_MOST_SESSIONS = 12


@dataclass(frozen=True)
class Report:
    """All that the doctor says of a script.

    Attributes:
        script: The script, as it was named.
        with_tf1mem: Whether it ran as `tf1mem run` runs it.
        ran: What came of it.
        findings: What was found, in the order to tell it.
        mends: The changes that would mend it.
    """

    script: str
    with_tf1mem: bool
    ran: Ran
    findings: Sequence[Finding]
    mends: Sequence[Mend]


def page(report: Report, width: int, paint: Paint = plain) -> str:
    """The page.

    Args:
        report: What to say.
        width: Columns to fit into.
        paint: How words stand out.
    """
    lines = [paint(f"tf1mem {__version__}, doctor: {telling.clean(report.script)}", "title")]
    for label, text in _rows(report):
        lines += telling.row(label, telling.clean(text), width)
    lines += ["", *telling.findings_text(report.findings, width, paint)]
    for mend in report.mends:
        lines += ["", *_mend(mend, width, paint)]
    lines += ["", *_memory(report, width, paint)]
    return "\n".join(lines)


def ended(status: int) -> str:
    """How a process ended, in words."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"ended by signal {-status}"


def _rows(report: Report) -> Iterator[tuple[str, str]]:
    seen = report.ran.seen
    how = "as tf1mem run runs it" if report.with_tf1mem else "as it is"
    yield "ran", "{}, on TensorFlow {}; {}".format(how, seen.tensorflow or "(not told)", ended(report.ran.status))
    start = seen.start
    if start is None:
        yield "GPU runtime", "not started, as far as was seen"
    else:
        yield "GPU runtime", "started by {}; by {}".format(place(start), _by(start["by"]))
        yield "in force", told.text(told.of_gpus(start["settings"]))
        if start["devices"]:
            yield (
                "devices",
                ", ".join(_device(device) for device in start["devices"] if not device["name"].startswith("XLA")),
            )
    counts = (seen.last("end") or {}).get("sessions") or []
    sessions = seen.of("session")
    good = 0
    for number, session in enumerate(sessions[:_MOST_SESSIONS]):
        times = ""
        if not session.get("error"):
            times = f", {counts[good]} times" if good < len(counts) and counts[good] > 1 else ""
            good += 1
        yield "Sessions" if number == 0 else "", f"{place(session).short}: {_asked(session)}{times}"
    if len(sessions) > _MOST_SESSIONS:
        yield "", f"and {len(sessions) - _MOST_SESSIONS} more kinds of Session"
    if seen.children:
        yield "children", f"{seen.children} forked from it came to TensorFlow; they were not watched"


def _by(what: str) -> str:
    return "a " + what if what.endswith("Session") else what


def _device(device: Event) -> str:
    limit = device.get("memory_limit_bytes")
    if not limit or not device["name"].startswith("GPU:"):
        return str(device["name"])
    return "{} (cap {})".format(device["name"], size(limit))


def _asked(session: Event) -> str:
    given = session["given"]
    text = "no config" if given is None else ", ".join("{}={}".format(*pair) for pair in given.items())
    text = text or "an empty config"
    return text.replace("gpu_options.", "") + (" (refused)" if session.get("error") else "")


def _mend(mend: Mend, width: int, paint: Paint) -> list[str]:
    lines = [paint("The smallest change, for {}:".format(", ".join(mend.codes)), "title"), "  " + mend.command]
    if mend.why_not:
        lines += telling.wrapped(f"Not worked out here: {mend.why_not}", width, "  ", "  ")
    styles = {"-": "removed", "+": "added"}
    for line in mend.diff.splitlines():
        style = "" if line.startswith(("---", "+++")) else styles.get(line[:1], "")
        lines.append(paint("  " + telling.clean(line), style))
    return lines


def _memory(report: Report, width: int, paint: Paint) -> list[str]:
    lines = [paint("GPU memory", "title")]
    if report.ran.histories is not None:
        from tf1mem.gpusim import summary

        lines += ["  " + line if line else "" for line in summary.as_text(
            report.ran.gpus, report.ran.histories, width - 2
        ).split("\n")]  # fmt: skip
    said = in_use(report)
    if said:
        lines.append("")
        lines.append("  TensorFlow's own count, at the end:")
        for name, memory in said.items():
            lines += telling.wrapped(f"{name}: {_count(memory)}", width, "    ", "      ")
    else:
        reason = _why_no_count(report)
        lines += ["", *telling.wrapped(reason, width, "  ", "  ")] if report.ran.histories else telling.wrapped(
            reason, width, "  ", "  "
        )  # fmt: skip
    return lines


def in_use(report: Report) -> dict[str, Any]:
    """What TensorFlow's allocators said at the end, by logical GPU; empty where it has no way to say."""
    end = report.ran.seen.last("end")
    memory: dict[str, Any] = end["memory"] if end else {}
    return memory


def _why_no_count(report: Report) -> str:
    seen = report.ran.seen
    if seen.start is None:
        return "No device was made, so none was used."
    if seen.gpus() == 0:
        return "There was no GPU among the devices: all ran on the CPU."
    return (
        "TensorFlow's own count is not told: {} for a process that has only Sessions, or ended early, and before "
        "TensorFlow 2.4 it has none.".format("it gives none" if report.ran.histories else "on real GPUs it gives none")
    )


def _count(memory: dict[str, Any]) -> str:
    if "error" in memory:
        return str(memory["error"])
    parts = ["{} in use".format(size(memory["current"]))]
    if "peak" in memory:
        parts.append("{} at most".format(size(memory["peak"])))
    return ", ".join(parts)
