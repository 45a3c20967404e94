"""Verdicts for people: a table, and below it what stops each path."""

from __future__ import annotations

from typing import Callable, Iterator, Sequence

from tf1mem.checking import kinds
from tf1mem.checking.here import Here
from tf1mem.checking.verdict import MAY_STOP, NOT_READ, RUNS, STOPS, Checked, Placed
from tf1mem.doctor.finding import ERROR, NOTE, WARNING, Kind
from tf1mem.doctor.report.layout import Paint, plain, wrapped
from tf1mem.errors import printable

_HEAD = ("path", "programs", "stop", "repaired", "GPU settings", "verdict")
_NO_SETTINGS = "none"
_MOST = 12  # things that are told of a path, unless all are wanted
_STYLES = {STOPS: "error", NOT_READ: "error", MAY_STOP: "warning", RUNS: ""}
_GAP = "  "


def page(checked: Sequence[Checked], here: Here, width: int, paint: Paint = plain, *, everything: bool = False) -> str:
    """The page.

    Args:
        checked: What was checked.
        here: What it was held against.
        width: Columns.
        paint: How words stand out.
        everything: Also what is found where no program comes by, each repair, and each setting.
    """
    lines = [paint(", ".join([*here.lines(), "by tf1mem run"]), "title"), "", *_table(checked, width, paint)]
    for one in checked:
        lines += _details(one, width, paint, everything)
    return "\n".join(lines)


def _table(checked: Sequence[Checked], width: int, paint: Paint) -> Iterator[str]:
    rows = [_HEAD, *map(_row, checked)]
    sizes = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    sizes[0] = min(sizes[0], max(width - sum(sizes[1:]) - len(_GAP) * (len(_HEAD) - 1), 12))
    for number, row in enumerate(rows):
        name = row[0] if len(row[0]) <= sizes[0] else "…" + row[0][1 - sizes[0] :]
        cells = [name.ljust(sizes[0])]
        cells += [
            cell.rjust(size) if 1 <= at <= 3 else cell.ljust(size)
            for at, (cell, size) in enumerate(zip(row, sizes))
            if at
        ]
        style = "title" if not number else _STYLES[row[-1]]
        cells[-1] = paint(cells[-1].rstrip(), style)
        yield _GAP.join(cells).rstrip()


def _row(one: Checked) -> tuple[str, ...]:
    repaired = {placed.found.what for placed in one.placed if placed.found.kind == kinds.REPAIRED}
    ways = dict.fromkeys(placed.found.what for placed in one.placed if placed.found.kind == kinds.SETTINGS)
    stop = sum(program.verdict == STOPS for program in one.programs)
    return (
        printable(one.path), str(len(one.programs)), str(stop), str(len(repaired)), ", ".join(ways) or _NO_SETTINGS,
        one.verdict,
    )  # fmt: skip


def _details(one: Checked, width: int, paint: Paint, everything: bool) -> Iterator[str]:
    placed = [each for each in one.placed if everything or each.path in one.reached]
    told = list(_groups(placed, (ERROR, WARNING)))
    lines: list[str] = []
    for kind, what, places in told if everything else told[:_MOST]:
        lines += _of_group(kind, what, places, width, paint)
    if len(told) > _MOST and not everything:
        lines.append(f"  and {len(told) - _MOST} more: --verbose names them")
    for path, why in one.problems:
        lines += wrapped(f"{path} was not read: {why}.", width, "  ", "    ")
    if everything:
        for kind, what, places in _groups(placed, (NOTE,)):
            lines += _of_group(kind, what, places, width, paint)
    if lines:
        yield from ("", paint(printable(one.path), "title"), *lines)


def _groups(placed: Sequence[Placed], severities: Sequence[str]) -> Iterator[tuple[Kind, str, list[Placed]]]:
    """What is found, the same things together: what stops most files first."""
    found: dict[tuple[str, str], list[Placed]] = {}
    for each in placed:
        if each.found.kind.severity in severities:
            says = each.found.says if each.found.kind == kinds.SETTINGS else each.found.what
            found.setdefault((each.found.kind.code, says), []).append(each)
    order: Callable[[list[Placed]], tuple[int, int]] = lambda group: (  # noqa: E731
        severities.index(group[0].found.kind.severity),
        -len(group),
    )
    for group in sorted(found.values(), key=order):
        yield group[0].found.kind, group[0].found.what, group


def _of_group(kind: Kind, what: str, places: list[Placed], width: int, paint: Paint) -> list[str]:
    first = places[0]
    cell = "" if first.found.cell is None else f"cell {first.found.cell}:"
    where = f"{first.path}:{cell}{first.found.line}"
    more = f" and in {len(places) - 1} more" if len(places) > 1 else ""
    head = f"{kind.code} {kind.severity}"
    lines = wrapped(f"{first.found.says}: {where}{more}", width, f"  {head}  ", "      ")
    lines[0] = lines[0].replace(head, paint(head, kind.severity), 1)
    mend = first.found.mend.replace("`", "").rstrip(".")
    return lines + (wrapped(mend + ".", width, "      > ", "        ") if mend else [])
