"""The doctor's page about a script: GPU start, settings in force, memory used, findings, and changes that fix them."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any, Iterator

from tf1mem import __version__
from tf1mem.doctor.report.layout import Paint, clean, findings_text, plain, row, wrapped
from tf1mem.doctor.watch.record import Event, gpu_settings, place, settings_text
from tf1mem.settings.units import size

if TYPE_CHECKING:
    from tf1mem.doctor.examination import Examination
    from tf1mem.doctor.patches import Patch
    from tf1mem.doctor.watch.watching import Run

_MOST_SESSIONS = 12


def page(examination: Examination, width: int, paint: Paint = plain) -> str:
    """Returns the page about a script.

    Args:
        examination: the doctor's results for the script.
        width: line width in columns.
        paint: function that styles text for the terminal.
    """
    lines = [paint(f"tf1mem {__version__}, doctor: {clean(examination.script)}", "title")]
    for label, text in _rows(examination):
        lines += row(label, text, width)
    lines += ["", *findings_text(examination.findings, width, paint)]
    for patch in examination.patches:
        lines += ["", *_patch_lines(patch, width, paint)]
    if _came_to_gpus(examination.run):
        lines += ["", *_memory(examination, width, paint)]
    return "\n".join(lines)


def _came_to_gpus(run: Run) -> bool:
    """Returns True if there is something to report about GPUs: not for a script that failed before it used one."""
    used = run.histories is not None and run.histories.shares
    return run.status == 0 or run.record.start is not None or bool(used)


def _rows(examination: Examination) -> Iterator[tuple[str, str]]:
    record = examination.run.record
    how = "as tf1mem run runs it" if examination.with_tf1mem else "as it is"
    if record.tensorflow:
        version = f"on TensorFlow {record.tensorflow}"
    else:
        version = "without TensorFlow" if record.last("end") else "and TensorFlow's version isn't known"
    yield "ran", f"{how}, {version}; {_ended(examination.run.status)}"
    start = record.start
    if start is None and _came_to_gpus(examination.run):
        yield "GPU runtime", "not started, as far as was seen"
    if start is not None:
        by = "a " + start["by"] if start["by"].endswith("Session") else start["by"]
        yield "GPU runtime", f"started by {place(start)}; by {by}"
        yield "in force", settings_text(gpu_settings(start["settings"]))
        if start["devices"]:
            shown = [_device(device) for device in start["devices"] if not device["name"].startswith("XLA")]
            yield "devices", ", ".join(shown)
    counts = (record.last("end") or {}).get("sessions") or []
    sessions = record.of("session")
    accepted = 0  # `counts` has only the Sessions that TensorFlow accepted
    for number, session in enumerate(sessions[:_MOST_SESSIONS]):
        times = ""
        if not session.get("error"):
            times = f", {counts[accepted]} times" if accepted < len(counts) and counts[accepted] > 1 else ""
            accepted += 1
        yield "" if number else "Sessions", f"{place(session).short}: {_config_text(session)}{times}"
    if len(sessions) > _MOST_SESSIONS:
        yield "", f"and {len(sessions) - _MOST_SESSIONS} more kinds of Session"
    if record.children:
        yield "children", f"{record.children} forked from it used TensorFlow; they were not watched"


def _ended(status: int) -> str:
    """Returns in words how a process ended."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"ended by signal {-status}"


def _device(device: Event) -> str:
    limit = device.get("memory_limit_bytes")
    if not limit or not device["name"].startswith("GPU:"):
        return str(device["name"])
    return "{} (cap {})".format(device["name"], size(limit))


def _config_text(session: Event) -> str:
    config = session["given"]
    text = "no config" if config is None else ", ".join(f"{name}={value}" for name, value in config.items())
    text = text or "an empty config"
    return text.replace("gpu_options.", "") + (" (refused)" if session.get("error") else "")


def _patch_lines(patch: Patch, width: int, paint: Paint) -> list[str]:
    heading = "The smallest change" if patch.diff or patch.why_not else "What has to be changed by hand"
    lines = [paint("{}, for {}:".format(heading, ", ".join(patch.codes)), "title"), "  " + patch.command]
    if patch.why_not:
        lines += wrapped(f"Not worked out here: {patch.why_not}", width, "  ", "  ")
    styles = {"-": "removed", "+": "added"}
    for line in patch.diff.splitlines():
        style = "" if line.startswith(("---", "+++")) else styles.get(line[:1], "")
        lines.append(paint("  " + clean(line), style))
    for remark in patch.left:
        lines += wrapped(f"To do by hand: {remark}", width, "  ", "    ")
    return lines


def _memory(examination: Examination, width: int, paint: Paint) -> list[str]:
    run = examination.run
    lines = [paint("GPU memory", "title")]
    if run.histories is not None:
        from tf1mem.gpusim import summary

        text = summary.as_text(run.gpus, run.histories, width - 2)
        lines += ["  " + line if line else "" for line in text.split("\n")]
    in_use = examination.in_use()
    if in_use:
        lines += ["", "  TensorFlow's own count, at the end:"]
        for name, memory in in_use.items():
            lines += wrapped(f"{name}: {_count(memory)}", width, "    ", "      ")
        return lines
    return lines + ([""] if run.histories else []) + wrapped(_why_no_count(examination), width, "  ", "  ")


def _why_no_count(examination: Examination) -> str:
    """Returns why TensorFlow's count of the memory in use is missing."""
    record = examination.run.record
    if record.start is None:
        return "No device was made, so none was used."
    if record.gpus() == 0:
        return "There was no GPU among the devices: all ran on the CPU."
    gives = "it gives none" if examination.run.histories else "on real GPUs it gives none"
    return (
        f"TensorFlow's own count is missing: {gives} for a process that has only Sessions or ended early, and "
        "TensorFlow "
        "before 2.4 has none."
    )


def _count(memory: dict[str, Any]) -> str:
    if "error" in memory:
        return str(memory["error"])
    peak = f", {size(memory['peak'])} at most" if "peak" in memory else ""
    return f"{size(memory['current'])} in use{peak}"
