"""The certificate as one HTML page for people, without scripts or other files."""

from __future__ import annotations

import json
from html import escape
from typing import Any, Iterable, Sequence

from tf1mem.errors import printable
from tf1mem.verifying import judging

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --quiet: #57606a; --line: #d0d7de; --old: #0969da;
  --new: #bc4c00; --band: #0969da22; --good: #1a7f37; --bad: #cf222e; --open: #9a6700 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --quiet: #9198a1; --line: #3d444d;
  --old: #58a6ff; --new: #f0883e; --band: #58a6ff33; --good: #3fb950; --bad: #f85149; --open: #d29922 } }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; margin: .5rem 0 } h2 { font-size: 1.15rem; margin: 1.5rem 0 .5rem }
.verdict { border-left: .4rem solid; padding: .4rem .8rem; font-weight: 600 }
.same { border-color: var(--good) } .different { border-color: var(--bad) } .open { border-color: var(--open) }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .25rem .5rem;
  border-bottom: 1px solid var(--line) } th { color: var(--quiet); font-weight: 500;
  overflow-wrap: normal }
.scroll { overflow-x: auto } code, pre { font: .85em/1.45 ui-monospace, Consolas, monospace }
pre { white-space: pre-wrap; margin: 0 } .quiet { color: var(--quiet) }
svg { width: 100%; height: auto } svg text { font-size: 11px; fill: var(--quiet) }
.key-old { color: var(--old) } .key-new { color: var(--new) }
"""
_HEADS = {
    judging.SAME: ("same", "The same"),
    judging.DIFFERENT: ("different", "Different"),
    judging.NOT_COMPARED: ("open", "Couldn't be compared"),
}
_WIDTH, _HEIGHT, _LEFT, _BELOW = 640, 180, 64, 22
_CURVES = 6


def as_page(certificate: dict[str, Any]) -> str:
    """Returns the page.

    Args:
        certificate: The certificate.
    """
    css, head = _HEADS[certificate["verdict"]]
    title = f"{certificate['program']}: {head.lower()}"
    parts = [
        f"<h1>{_text(certificate['program'])}</h1>",
        f'<p class="verdict {css}">{head}</p>',
        _paragraphs([certificate["reason"]]),
        _difference(certificate["first_difference"]),
        _sides(certificate),
        _compared(certificate),
        *(_curve(each) for each in certificate["curves"][:_CURVES]),
        _list("To know", certificate["notes"]),
        _pairs("Memory reserved on simulated GPUs, bytes", _memory(certificate)),
        _pairs("Set on both sides", certificate["settled"].items()),
        _pairs("The program's files, SHA-256", certificate["files"].items()),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body>\n</html>\n"
    )


def _text(value: Any) -> str:
    return escape(printable(str(value)))


def _paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<p>{_text(text)}</p>" for text in texts if text)


def _difference(difference: dict[str, Any] | None) -> str:
    if difference is None:
        return ""
    source = f' <span class="quiet">{_text(difference["source"])}</span>' if difference["source"] else ""
    known = f"<p>{_text(difference['reason'])}{source}</p>" if difference["reason"] else ""
    details = _text(json.dumps(difference["details"], indent=1, default=str))
    return (
        f"<h2>The first difference</h2><p>{_text(difference['message'])}</p>{known}"
        f'<details><summary>Details</summary><div class="scroll"><pre>{details}</pre></div></details>'
    )


def _sides(certificate: dict[str, Any]) -> str:
    sides = [
        certificate[side] or {"versions": {}, "steps": "", "seconds": "", "settings": []} for side in ("old", "new")
    ]
    names = dict.fromkeys(name for side in sides for name in side["versions"])
    rows = [(name, *(side["versions"].get(name, "") for side in sides)) for name in names]
    rows += [(name, *(side.get(key, "") for side in sides)) for name, key in _ROWS]
    rows.append(("settings", *("; ".join(" ".join(each.split()) for each in side["settings"]) for side in sides)))
    head = "<tr><th></th><th>old</th><th>new</th></tr>"
    return "<h2>Both sides</h2>" + _table(head, rows)


_ROWS = (
    ("steps that train", "steps"),
    ("seconds", "seconds"),
    ("most memory, bytes", "peak_bytes"),
    ("recording", "recording"),
)


def _table(head: str, rows: Iterable[Sequence[Any]]) -> str:
    body = "".join(
        f"<tr><th>{_text(first)}</th>{''.join(f'<td>{_text(each)}</td>' for each in others)}</tr>"
        for first, *others in rows
    )
    return f'<div class="scroll"><table>{head}{body}</table></div>'


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
    return "<h2>What was compared</h2>" + _table("", rows)


def _list(title: str, texts: Sequence[str]) -> str:
    if not texts:
        return ""
    return f"<h2>{title}</h2><ul>{''.join(f'<li>{_text(text)}</li>' for text in texts)}</ul>"


def _pairs(title: str, pairs: Iterable[tuple[str, Any]]) -> str:
    rows = list(pairs)
    return f"<h2>{title}</h2>" + _table("", rows) if rows else ""


def _memory(certificate: dict[str, Any]) -> list[tuple[str, str]]:
    return [(side, ", ".join(map(str, each))) for side, each in certificate.get("memory", {}).items()]


def _curve(curve: dict[str, Any]) -> str:
    """Returns an SVG of one fetched scalar over the steps: both sides, and the old side's band."""
    steps, old, new = curve["steps"], curve["old"], curve["new"]
    bands = [min(limit, 1.0) * max(abs(value), 1e-30) for value, limit in zip(old, curve["limit"])]
    low, high = min([*old, *new]), max([*old, *new])
    high = high if high > low else low + 1.0

    def point(step: int, value: float) -> str:
        x = _LEFT + (_WIDTH - _LEFT - 8) * (step - steps[0]) / max(1, steps[-1] - steps[0])
        y = 8 + (_HEIGHT - _BELOW - 16) * (high - min(max(value, low), high)) / (high - low)
        return f"{x:.1f},{y:.1f}"

    above = [point(step, value + band) for step, value, band in zip(steps, old, bands)]
    under = [point(step, value - band) for step, value, band in zip(steps, old, bands)]
    lines = "".join(
        f'<polyline fill="none" stroke="var(--{side})" stroke-width="{width}" '
        f'points="{" ".join(map(point, steps, values))}"/>'
        for side, values, width in (("old", old, 3), ("new", new, 1.4))
    )
    name = _text(curve["name"])
    return (
        f'<h2><code>{name}</code></h2><p class="quiet"><span class="key-old">old</span>, '
        f'<span class="key-new">new</span>, and the band of rounding around the old side, by step</p>'
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{name} by step on both sides">'
        f'<polygon fill="var(--band)" points="{" ".join([*above, *reversed(under)])}"/>{lines}'
        f'<text x="4" y="16">{high:.4g}</text><text x="4" y="{_HEIGHT - _BELOW - 6}">{low:.4g}</text>'
        f'<text x="{_LEFT}" y="{_HEIGHT - 6}">{steps[0]}</text>'
        f'<text x="{_WIDTH - 8}" y="{_HEIGHT - 6}" text-anchor="end">{steps[-1]}</text></svg>'
    )
