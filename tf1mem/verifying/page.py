"""The certificate of `tf1mem verify` as one HTML page."""

from __future__ import annotations

import json
import math
from typing import Any, Iterable

from tf1mem import pages
from tf1mem.verifying import judging
from tf1mem.verifying.text import up_to

# Verdict -> the CSS class and the text of the page's head.
_HEADS = {
    judging.SAME: (pages.GOOD, "The same"),
    judging.DIFFERENT: (pages.BAD, "Different"),
    judging.NOT_COMPARED: (pages.OPEN, "Couldn't be compared"),
}
_CURVES = 6  # the largest number of curves on a page
_OLD, _NEW = pages.COLORS[:2]
# The rows about both sides: label, key in the certificate's entry for a side.
_ROWS = (
    ("steps that train", "steps"),
    ("seconds", "seconds"),
    ("most memory, bytes", "peak_bytes"),
    ("recording", "recording"),
)


def as_page(certificate: dict[str, Any]) -> str:
    """Returns a certificate's page.

    Args:
        certificate: The JSON of `certificate.certificate`.
    """
    css, head = _HEADS[certificate["verdict"]]
    head += up_to(certificate)
    return pages.page(
        f"{certificate['program']}: {head.lower()}",
        pages.tag("h1", certificate["program"]),
        pages.verdict(css, head),
        pages.paragraphs([certificate["reason"]]),
        _difference(certificate["first_difference"]),
        _sides(certificate),
        _compared(certificate),
        _outputs(certificate.get("outputs") or {}),
        *(_curve(each) for each in certificate["curves"][:_CURVES]),
        pages.section("To know", pages.items(certificate["notes"])),
        _pairs("Memory reserved on simulated GPUs, bytes", _memory(certificate)),
        _pairs("Set on both sides", certificate["settled"].items()),
        _pairs("The program's files, SHA-256", certificate["files"].items()),
        _pairs("Data that the program read, SHA-256", certificate.get("data", {}).items()),
    )


def _difference(difference: dict[str, Any] | None) -> str:
    if difference is None:
        return ""
    source = [" ", pages.tag("span", difference["source"], css="quiet")] if difference["source"] else []
    known = pages.tag("p", difference["reason"], *source) if difference["reason"] else ""
    shown = pages.lines(json.dumps(difference["details"], indent=1, default=str))
    return pages.section(
        "The first difference", pages.tag("p", difference["message"]), known, pages.details("Details", shown)
    )


def _sides(certificate: dict[str, Any]) -> str:
    sides = [
        certificate[side] or {"versions": {}, "steps": "", "seconds": "", "settings": []} for side in ("old", "new")
    ]
    names = dict.fromkeys(name for side in sides for name in side["versions"])
    rows = [(name, *(side["versions"].get(name, "") for side in sides)) for name in names]
    rows += [(name, *(side.get(key, "") for side in sides)) for name, key in _ROWS]
    rows.append(("settings", *("; ".join(" ".join(each.split()) for each in side["settings"]) for side in sides)))
    return pages.section("Both sides", pages.table(("", "old", "new"), rows))


def _compared(certificate: dict[str, Any]) -> str:
    figures = certificate["compared"]
    if figures is None:
        return ""
    limits = certificate["thresholds"]
    rows = [
        ("values compared", figures["values"]),
        ("equal to the bit", figures["equal"]),
        ("different by rounding", figures["rounding"]),
        ("different by more", figures["different"]),
        ("where rounding alone differs by more than 5%", figures["beyond_rounding"]),
        ("largest difference, in multiples of rounding alone", f"{figures['largest_multiple']:.3g}"),
        ("limit, in these multiples", f"{limits['multiple']:g}, or {limits['units']:g} units in the last place"),
    ]
    return pages.section("What was compared", pages.table((), rows))


# Key in the certificate's "outputs" -> label; and the keys of the figures for each.
_KINDS = {
    "printed": "numbers in printed lines",
    "summaries": "scalars of summaries",
    "checkpoints": "variables of checkpoints",
}
_FIGURES = ("values", "equal", "rounding", "different", "beyond_rounding")


def _outputs(outputs: dict[str, Any]) -> str:
    rows = [
        (_KINDS[name], *(figures[each] for each in _FIGURES), len(figures["one_side"]))
        for name, figures in outputs.items()
        if figures["values"] or figures["one_side"]
    ]
    head = ("", "compared", "equal", "by rounding", "different", "no comparison", "one side only")
    return pages.section("What the sides wrote", pages.table(head, rows)) if rows else ""


def _pairs(title: str, pairs: Iterable[tuple[str, Any]]) -> str:
    rows = list(pairs)
    return pages.section(title, pages.table((), rows)) if rows else ""


def _memory(certificate: dict[str, Any]) -> list[tuple[str, str]]:
    return [(side, ", ".join(map(str, each))) for side, each in certificate.get("memory", {}).items()]


def _curve(curve: dict[str, Any]) -> str:
    """Returns a chart of one fetched scalar over the steps: both sides, and the limit of rounding around the old."""
    steps, old, new = curve["steps"], curve["old"], curve["new"]
    # Limits are relative. One of more than 100% would fill the chart.
    bands = [min(limit, 1.0) * max(abs(value), 1e-30) for value, limit in zip(old, curve["limit"])]
    finite = [value for value in (*old, *new) if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    high = high if high > low else low + 1.0
    above = [(step, value + band) for step, value, band in zip(steps, old, bands)]
    under = [(step, value - band) for step, value, band in zip(steps, old, bands)]
    shapes = (
        pages.Shape(_OLD, [*above, *reversed(under)], is_area=True, width=0),
        pages.Shape(_OLD, list(zip(steps, old)), label="old", width=3),
        pages.Shape(_NEW, list(zip(steps, new)), label="new", width=1.4),
    )
    ends = (f"step {steps[0]}", f"step {steps[-1]}", f"{low:.4g}", f"{high:.4g}")
    name = f"{curve['name']} by step on both sides"
    return pages.section(
        pages.tag("code", curve["name"]),
        pages.chart(shapes, (steps[0], max(steps[-1], steps[0] + 1)), (low, high), ends, name),
        pages.keys(((_OLD, "old, and the band of rounding around it"), (_NEW, "new"))),
    )
