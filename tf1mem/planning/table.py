"""Formats plans and reports as tables: plain text that fits the terminal, or HTML for notebooks."""

from __future__ import annotations

import shutil
import textwrap
from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Iterable, Sequence

from tf1mem.errors import printable
from tf1mem.pages import tag
from tf1mem.settings.units import gib

if TYPE_CHECKING:
    from tf1mem.machine.runtime import Runtime

_NOTHING = "there is nothing to set"
# Notebooks align text to the right and collapse spaces. A table that is too wide scrolls or breaks its lines.
_SCROLLS, _BREAKS = "overflow-x: auto", "overflow-wrap: break-word"
_CELL = "text-align: left; white-space: pre-wrap"


def title(runtime: Runtime | None, kind: str) -> str:
    """Returns a table's title: the versions of tf1mem and TensorFlow, the kind of table, and the GPUs' sizes.

    Args:
        runtime: The TensorFlow that the table is for; None if TensorFlow has not started.
        kind: "plan" or "applied".
    """
    from tf1mem import __version__

    if runtime is None:
        return f"tf1mem {__version__}, {kind} (TensorFlow not started)"
    if runtime.gpus is None:
        seen = "GPUs not counted"
    elif not runtime.gpus:
        seen = "no GPU"
    else:
        sizes = ", ".join("size unknown" if gpu.total_bytes is None else gib(gpu.total_bytes) for gpu in runtime.gpus)
        seen = "{} GPU{}: {}".format(len(runtime.gpus), "" if len(runtime.gpus) == 1 else "s", sizes)
    return f"tf1mem {__version__}, {kind} (TensorFlow {runtime.version}; {seen})"


class Printed:
    """Base class of objects that `print` and IPython's terminal show as a table."""

    def as_text(self, width: int | None = None) -> str:
        """Returns the table.

        Args:
            width: The width in columns; by default the terminal's.
        """
        raise NotImplementedError

    def __str__(self) -> str:
        return self.as_text()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Prints the table in IPython's terminal."""
        printer.text(str(self))


def short(shown: object, runtime: Runtime | None, outcomes: Iterable[tuple[str, str]], by: str = "") -> str:
    """Returns a `repr` of one line: `<Plan: 3 settings, 2 by tf.config, 1 by none, TensorFlow 2.21.0>`.

    Args:
        shown: The plan or report.
        runtime: The TensorFlow that it is for; None if TensorFlow has not started.
        outcomes: A setting and its route or outcome for each line.
        by: Text before each route or outcome, such as "by ".
    """
    outcomes = list(outcomes)
    settings = len({setting for setting, _ in outcomes})
    counts = Counter(outcome for _, outcome in outcomes)
    parts = ["{} setting{}".format(settings, "" if settings == 1 else "s")]
    parts += [f"{count} {by}{outcome}" for outcome, count in counts.items()]
    parts.append("TensorFlow not started" if runtime is None else f"TensorFlow {runtime.version}")
    return printable("<{}: {}>".format(type(shown).__name__, ", ".join(parts)))


def text(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], width: int | None) -> str:
    """Returns a title with a table below it, as plain text.

    Args:
        title: The line above the table.
        head: The names of five columns; the last two are printed below each row.
        rows: The rows, five cells each.
        width: The width in columns; by default the terminal's.
    """
    width = max(width or shutil.get_terminal_size((80, 24)).columns, 40)
    rows = [[printable(cell) for cell in row] for row in rows]
    body = _table(head, rows, width) if rows else "  " + _NOTHING
    return "\n".join([*textwrap.wrap(title, width, subsequent_indent="  "), body])


def as_html(title: str, *tables: tuple[Sequence[str], Sequence[Sequence[str]]], notes: Iterable[str] = ()) -> str:
    """Returns a title, tables and notes as HTML for notebooks, with all texts escaped.

    Args:
        title: The line above the tables.
        tables: The names of the columns and the rows of each table.
        notes: Lines below the tables.
    """
    out = [tag("p", tag("b", title), style=_BREAKS)]
    for head, rows in tables:
        lines = [("th", head), *(("td", row) for row in rows)]
        cells = ([tag(name, cell, style=_CELL) for cell in row] for name, row in lines)
        table = tag("table", *(tag("tr", *line) for line in cells))
        out.append(tag("div", table, style=_SCROLLS) if rows else tag("p", _NOTHING))
    return "\n".join([*out, *(tag("p", note, style=_BREAKS) for note in notes)])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> str:
    """Returns a table of the first three columns, with the last two below each row: five don't fit into a terminal."""
    columns = [max(len(row[place]) for row in [head, *rows]) for place in range(3)]
    columns[0] = min(columns[0], max(width - sum(columns[1:]) - 6, 20))
    columns[1] = min(columns[1], max(width - columns[0] - columns[2] - 6, 12))
    out = [_cells(head[:3], columns), "  " + "-" * (min(sum(columns) + 4, width - 2))]
    for row in rows:
        out.append(_cells(row[:3], columns))
        for mark, text in (("> ", row[3]), ("  ", row[4])):
            out += textwrap.wrap(
                text, width, initial_indent="      " + mark, subsequent_indent="        ", break_on_hyphens=False
            )
    return "\n".join(out)


def _cells(cells: Sequence[str], columns: Sequence[int]) -> str:
    """Returns one row; a cell too long for its column continues on the next line."""
    lines = zip_longest(*map(_chunks, cells, columns), fillvalue="")
    return "\n".join("  " + "  ".join(map(str.ljust, parts, columns)).rstrip() for parts in lines)


def _chunks(text: str, size: int) -> list[str]:
    """Cuts text into lines of `size` characters at most, if possible after one of ".,_ ": names have no spaces."""
    parts = []
    while len(text) > size:
        cut = max(text.rfind(mark, 0, size) for mark in ".,_ ") + 1 or size
        parts.append(text[:cut].rstrip())
        text = text[cut:]
    return [*parts, text]
