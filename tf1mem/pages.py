"""Builds HTML pages that can be opened from disk, all of one style. They load no other file, and contain no script."""

from __future__ import annotations

from html import escape
from math import isfinite
from typing import Iterable, NamedTuple, Sequence, Tuple

from tf1mem.errors import printable


class Html(str):
    """A piece of HTML; the functions of this module escape any other string."""


# The policy forbids scripts and requests even if a text were not escaped.
_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
<style>{}</style>
</head>
<body>
<article>
{}
</article>
</body>
</html>
"""
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --quiet: #57606a; --line: #d0d7de; --good: #1a7f37;
  --bad: #cf222e; --open: #9a6700; --link: #0969da; --first: #0969da; --second: #bc4c00; --third: #1a7f37;
  --fourth: #8250df; --fifth: #9a6700; --sixth: #bf3989 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --quiet: #9198a1; --line: #3d444d;
  --good: #3fb950; --bad: #f85149; --open: #d29922; --link: #58a6ff; --first: #58a6ff; --second: #f0883e;
  --third: #3fb950; --fourth: #bc8cff; --fifth: #d29922; --sixth: #f778ba } }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; margin: .5rem 0 } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem } a { color: var(--link) }
.verdict { border-left: .4rem solid; padding: .4rem .8rem; font-weight: 600 }
.good { border-color: var(--good) } .bad { border-color: var(--bad) } .open { border-color: var(--open) }
b.good { color: var(--good) } b.bad { color: var(--bad) } b.open { color: var(--open) }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .25rem .5rem;
  border-bottom: 1px solid var(--line) } th { color: var(--quiet); font-weight: 500; overflow-wrap: normal }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
td, th[scope=row] { overflow-wrap: anywhere; min-width: 7rem } td.number { min-width: 0 } .scroll { overflow-x: auto }
code, pre { font: .85em/1.45 ui-monospace, Consolas, monospace } pre { white-space: pre-wrap; margin: 0 }
.quiet { color: var(--quiet) } ul { padding-left: 1.25rem } summary { cursor: pointer; padding: .25rem 0 }
.chart { display: grid; grid-template-columns: auto minmax(0, 1fr); column-gap: .5rem; font-size: .8rem;
  color: var(--quiet); margin: .5rem 0 } .chart svg { width: 100%; height: 11rem; border-left: 1px solid var(--line);
  border-bottom: 1px solid var(--line) }
.chart div { display: flex; justify-content: space-between } .chart .up { flex-direction: column; text-align: right }
.chart .along { grid-column: 2 } .chart * { vector-effect: non-scaling-stroke }
.keys { list-style: none; padding: 0; margin: .25rem 0; font-size: .85rem }
.key { display: inline-block; width: .8em; height: .8em; margin-right: .4em; border-radius: .15em }
"""
# The colours that tell several lines or areas apart, by their names in the style.
COLORS = ("first", "second", "third", "fourth", "fifth", "sixth")
GOOD, BAD, OPEN = "good", "bad", "open"


def text(value: object) -> Html:
    """Returns a value as escaped HTML, in which control characters are visible, also those that reverse text."""
    return value if isinstance(value, Html) else Html(escape(printable(str(value))))


def page(title: str, *parts: str) -> str:
    """Returns a whole page.

    Args:
        title: The title of the window.
        parts: The contents, from the functions below.
    """
    return _FRAME.format(text(title), _STYLE, "\n".join(text(part) for part in parts if part))


def tag(name: str, *content: object, css: str = "", **attributes: object) -> Html:
    """Returns an element.

    Args:
        name: The element's name.
        content: The contents, one after another.
        css: The classes.
        attributes: Other attributes; an underscore in a name stands for a hyphen.
    """
    every = {**({"class": css} if css else {}), **attributes}
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in every.items())
    return Html(f"<{name}{written}>{''.join(map(text, content))}</{name}>")


def paragraphs(texts: Iterable[object]) -> Html:
    """Returns a paragraph for each text that isn't empty."""
    return Html("".join(tag("p", each) for each in texts if each))


def spans(value: str) -> list[Html]:
    """Returns the parts of a sentence, with `code` in backticks as code elements."""
    return [tag("code", part) if place % 2 else text(part) for place, part in enumerate(value.split("`"))]


def lines(value: str) -> Html:
    """Returns a text of several lines as an element that keeps its line breaks."""
    return tag("pre", Html(escape(printable(value, keep="\n"))))


def items(texts: Iterable[object]) -> Html:
    """Returns a bulleted list, or empty HTML if there are no texts."""
    listed = [tag("li", each) for each in texts]
    return tag("ul", *listed) if listed else Html()


def table(head: Sequence[object], rows: Iterable[Sequence[object]], numbers: Iterable[int] = ()) -> Html:
    """Returns a table, which scrolls sideways if it is wider than the page.

    Args:
        head: The names of the columns; empty for a table without a head.
        rows: The rows; the first cell of each is its heading.
        numbers: The indices of the columns that contain numbers.
    """
    right = frozenset(numbers)

    def css(place: int) -> str:
        return "number" if place in right else ""

    def row(cells: Sequence[object], scope: str) -> Html:
        heads = 1 if scope == "row" else len(cells)
        return tag(
            "tr",
            *(
                tag("th", cell, css=css(place), scope=scope) if place < heads else tag("td", cell, css=css(place))
                for place, cell in enumerate(cells)
            ),
        )

    every = [*([row(head, "col")] if head else []), *(row(cells, "row") for cells in rows)]
    return tag("div", tag("table", *every), css="scroll")


def section(title: object, *parts: object) -> Html:
    """Returns a heading with its parts, or empty HTML if all parts are empty."""
    present = [part for part in parts if part]
    return Html(tag("h2", title) + "".join(map(text, present))) if present else Html()


def details(summary: object, *parts: object) -> Html:
    """Returns parts that are hidden until a click on the summary shows them."""
    return tag("details", tag("summary", summary), *parts)


def verdict(css: str, words: object) -> Html:
    """Returns the line with the verdict.

    Args:
        css: `GOOD`, `BAD` or `OPEN`.
        words: The verdict.
    """
    return tag("p", words, css=f"verdict {css}")


Points = Sequence[Tuple[float, float]]


class Shape(NamedTuple):
    """A line or an area of a chart.

    Attributes:
        color: One of `COLORS`, or another color of the style: "bad", "quiet".
        points: The corners: (x, y). Those whose y is not finite are left out.
        is_area: True for an area with these corners; False for a line.
        label: The name that a browser shows under the mouse; "" for none.
        width: The line's width in pixels; 0 for none.
        opacity: The opacity of an area.
    """

    color: str
    points: Points
    is_area: bool = False
    label: str = ""
    width: float = 2
    opacity: float = 0.15


_HEIGHT, _WIDTH = 200.0, 1000.0


def chart(
    shapes: Iterable[Shape], x: tuple[float, float], y: tuple[float, float], ends: Sequence[str], name: str
) -> Html:
    """Returns a chart as wide as the page; its labels keep their size on a small screen.

    Args:
        shapes: The lines and areas; later ones are drawn over earlier ones.
        x: The values at the left and the right end.
        y: The values at the lower and the upper end.
        ends: The labels of the ends: left, right, lower, upper.
        name: A description for screen readers.
    """
    (left, right), (low, high) = x, y

    def place(point: tuple[float, float]) -> str:
        across = _WIDTH * (point[0] - left) / ((right - left) or 1)
        down = _HEIGHT * (high - point[1]) / ((high - low) or 1)
        return f"{across:.1f},{min(max(down, 0), _HEIGHT):.1f}"

    drawn = [
        tag(
            "polygon" if shape.is_area else "polyline",
            tag("title", shape.label) if shape.label else "",
            points=" ".join(place(point) for point in shape.points if isfinite(point[1])),
            fill=f"var(--{shape.color})" if shape.is_area else "none",
            fill_opacity=shape.opacity,
            stroke=f"var(--{shape.color})",
            stroke_width=shape.width,
        )
        for shape in shapes
    ]
    picture = tag(
        "svg", *drawn, viewBox=f"0 0 {_WIDTH:g} {_HEIGHT:g}", preserveAspectRatio="none", role="img", aria_label=name
    )
    up = tag("div", tag("span", ends[3]), tag("span", ends[2]), css="up")
    return tag("div", up, picture, tag("div", tag("span", ends[0]), tag("span", ends[1]), css="along"), css="chart")


def keys(labels: Iterable[tuple[str, object]]) -> Html:
    """Returns a chart's legend, from pairs of a colour and its label."""
    listed = (tag("li", tag("span", css="key", style=f"background: var(--{color})"), label) for color, label in labels)
    return tag("ul", *listed, css="keys")
