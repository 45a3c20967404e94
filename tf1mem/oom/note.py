"""Writes the note for an out-of-memory error as plain text, 80 columns wide."""

from __future__ import annotations

import textwrap
from typing import Iterator

from tf1mem.errors import printable
from tf1mem.machine import first_start
from tf1mem.oom.advice import ShortageCause
from tf1mem.oom.oom_errors import TITLE
from tf1mem.oom.shortage import BY_DEFAULT, MANAGED, Physical, Shortage
from tf1mem.settings.units import exactly, size

_WIDTH = 80
_LABEL = 15  # the width of the column with the labels, such as "what helps"


def text(shortage: Shortage, verdict: ShortageCause) -> str:
    """Returns the note's text.

    Args:
        shortage: The facts about the error.
        verdict: The cause, and the remedies.
    """
    rows = [("asked for", _request(shortage)), *_rows(shortage)]
    if verdict.why:
        rows.append(("why", verdict.why))
    several = len(verdict.remedies) > 1
    for place, line in enumerate(verdict.remedies):
        rows.append(("" if place else "what helps", f"{place + 1}. {line}" if several else line))
    rows += [("not known" if not place else "", line) for place, line in enumerate(shortage.unknown)]
    return "\n".join([_title(shortage), *(line for label, entry in rows for line in _row(label, entry))])


def _title(shortage: Shortage) -> str:
    if not shortage.device:
        return TITLE
    where = "the CPU" if shortage.device.startswith("CPU") else shortage.device
    return f"{TITLE} on {where}" + (f" ({shortage.gpu.name})" if shortage.gpu.name else "")


def _row(label: str, entry: str) -> list[str]:
    """Returns the lines of a label and its text."""
    return textwrap.wrap(
        printable(entry),  # names of processes, files and ops may have any characters
        _WIDTH,
        initial_indent="  " + label.ljust(_LABEL - 2),
        subsequent_indent=" " * _LABEL,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _request(shortage: Shortage) -> str:
    request = shortage.request
    if request.size_bytes is None:
        amount = "the message doesn't say how much"
    else:
        amount = exactly(request.size_bytes) if request.exact else "about " + size(request.size_bytes)
    if request.shape is not None:
        amount += ": {} [{}]".format(request.dtype, ",".join(str(part) for part in request.shape))
    return amount + (f", for {request.op}" if request.op else "")


def _rows(shortage: Shortage) -> Iterator[tuple[str, str]]:
    """Yields the label and the text of each known fact."""
    if shortage.elsewhere:
        yield (
            "whose",
            "/job:{}, task {}: look there; this process knows no more".format(*shortage.elsewhere.split(":")),
        )
        return
    if shortage.host_total_bytes is not None:
        left = "" if shortage.host_free_bytes is None else f"; {size(shortage.host_free_bytes)} are left now"
        yield "memory", f"{size(shortage.host_total_bytes)} in all{left}"
        return
    if shortage.cap.kind:
        yield "cap", _cap(shortage)
        start = first_start.seen()
        started_by = "" if start is None else f" (by {start})"
        for setting in shortage.cap.ignored:
            yield "not in force", f"{setting}: the GPU was started before under other settings{started_by}"
    if shortage.growth is not None:
        yield "growth", _growth(shortage)
    if shortage.held is not None:
        yield "in use", _in_use(shortage)
    if shortage.gpu.total_bytes is not None:
        yield "the GPU", _gpu(shortage.gpu)


def _cap(shortage: Shortage) -> str:
    cap = shortage.cap
    amount = "size unknown" if cap.size_bytes is None else exactly(cap.size_bytes)
    if cap.kind == BY_DEFAULT:
        return amount + (
            ": no setting, TensorFlow's default. It is what was free on the GPU when TensorFlow started, minus what it "
            "reserves for CUDA's libraries"
        )
    managed = ", managed memory" if cap.kind == MANAGED else ""
    owner = f", of {cap.owner}" if cap.owner else ""
    return "{}{}: {}{}{}".format(amount, managed, cap.setting, owner, _set_by(cap.where, "its line is unknown"))


def _set_by(where: str, otherwise: str = "") -> str:
    if where:
        return f", set by {where}"
    return f" ({otherwise})" if otherwise else ""


def _growth(shortage: Shortage) -> str:
    growth = shortage.growth
    assert growth is not None
    if not growth.on:
        line = "off: all of the cap is reserved at the start" + (f", {growth.setting}" if growth.setting else "")
    else:
        line = f"on: {growth.setting}{_set_by(growth.where)}"
    held = shortage.held
    if held is not None and held.reserved_bytes is not None:
        line += f"; {size(held.reserved_bytes)} reserved so far"
    return line


def _in_use(shortage: Shortage) -> str:
    held = shortage.held
    assert held is not None
    line = size(held.in_use_bytes)
    if held.peak_bytes is not None:
        line += f", {size(held.peak_bytes)} at its peak"
    if not held.at_failure:
        line += " (now: the step that failed has freed its tensors)"
    if held.largest_free_bytes is not None:
        line += f"; the largest free piece of what is reserved is {size(held.largest_free_bytes)}"
    return line


def _gpu(gpu: Physical) -> str:
    line = exactly(gpu.total_bytes or 0)
    if gpu.free_bytes is None:
        return line
    line += f", {size(gpu.free_bytes)} free"
    if not gpu.own_listed and gpu.others:
        return line + "; processes {} use it; the driver doesn't show which is this one (a container?)".format(
            ", ".join(str(holder.pid) for holder in gpu.others)
        )
    if gpu.own_bytes is not None:
        line += f", {size(gpu.own_bytes)} held by this process"
    for holder in gpu.others:
        amount = "an amount that the driver doesn't report" if holder.held_bytes is None else size(holder.held_bytes)
        name = f" ({holder.name})" if holder.name else ""
        line += f", {amount} by process {holder.pid}{name}"
    if gpu.unnamed_bytes:
        line += f", {size(gpu.unnamed_bytes)} by processes that the driver doesn't name"
    if gpu.own_listed and not gpu.others and not gpu.unnamed_bytes:
        line += ", no other process on it"
    return line
