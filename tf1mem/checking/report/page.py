"""Verdicts for people: a table, then the findings that stop each path."""

from __future__ import annotations

import os
from typing import Callable, Iterator, Sequence

from tf1mem.checking import kinds
from tf1mem.checking.here import Here
from tf1mem.checking.verdict import MAY_STOP, NOT_READ, RUNS, SOME_STOP, STOPS, Checked, CheckedProgram, Placed
from tf1mem.doctor.finding import ERROR, NOTE, WARNING, Kind
from tf1mem.doctor.report.layout import Paint, plain, wrapped
from tf1mem.errors import printable

HEAD = ("path", "programs", "stop", "repaired", "GPU settings", "verdict")
_NO_SETTINGS = "none"
_MOST = 12  # groups of findings shown for a path without --verbose; see `_groups`
_STYLES = {STOPS: "error", SOME_STOP: "error", NOT_READ: "error", MAY_STOP: "warning", RUNS: ""}
_GAP = "  "
_DOUBTFUL = ", which may not be imported"  # added to an error in a file that a run of the program may not import


def page(checked: Sequence[Checked], here: Here, width: int, paint: Paint = plain, *, verbosity: int = 0) -> str:
    """Returns the page.

    Args:
        checked: The results of the checked paths.
        here: The Python and packages that they were compared with.
        width: Line length in columns.
        paint: Function that styles words.
        verbosity: 1 to show also findings in files that no program reaches, each repair, and each setting; -1 for
            findings alone.
    """
    lines = []
    if verbosity >= 0:
        lines = [paint(", ".join([*here.lines(), "by tf1mem run"]), "title"), "", *_table(checked, width, paint)]
    for path_checked in checked:
        lines += _details(path_checked, width, paint, everything=verbosity > 0)
    return "\n".join(lines).lstrip("\n")


def _table(checked: Sequence[Checked], width: int, paint: Paint) -> Iterator[str]:
    rows = [HEAD, *map(cells_of, checked)]
    sizes = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    sizes[0] = min(sizes[0], max(width - sum(sizes[1:]) - len(_GAP) * (len(HEAD) - 1), 12))
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


def cells_of(checked: Checked) -> tuple[str, ...]:
    """Returns the cells of a path, below `HEAD`."""
    repaired = {placed.finding.what for placed in checked.placed if placed.finding.kind == kinds.REPAIRED}
    setting_names = dict.fromkeys(
        placed.finding.what for placed in checked.placed if placed.finding.kind == kinds.SETTINGS
    )
    stop = sum(program.verdict == STOPS for program in checked.deciding)
    return (
        printable(checked.path), str(len(checked.deciding)), str(stop), str(len(repaired)),
        ", ".join(setting_names) or _NO_SETTINGS, checked.verdict,
    )  # fmt: skip


def _details(checked: Checked, width: int, paint: Paint, *, everything: bool) -> Iterator[str]:
    placed = [each for each in checked.placed if everything or each.path in checked.reached]
    lines: list[str] = []
    of_tests = [each for each in placed if each.path in checked.of_tests]
    of_programs = [each for each in placed if each.path not in checked.of_tests]
    if len(checked.deciding) > 1:
        lines += _count_lines("programs", checked, checked.deciding, width, everything=everything)
    lines += _error_lines(checked, of_programs, width, paint, everything=everything)
    if checked.tests:
        lines += _count_lines("tests", checked, checked.tests, width, everything=everything)
        lines += _error_lines(checked, of_tests, width, paint, everything=everything)
    for path, why in checked.problems:
        lines += wrapped(f"{path} was not read: {why}.", width, "  ", "    ")
    if everything:
        for kind, name, places in _groups(placed, (NOTE,)):
            lines += _group_lines(kind, name, places, width, paint)
    if lines:
        yield from ("", paint(printable(checked.path), "title"), *lines)


def _count_lines(
    noun: str, checked: Checked, programs: Sequence[CheckedProgram], width: int, *, everything: bool
) -> list[str]:
    """Returns a line such as "7 of 9 programs run; stops: train.py"; none if all run, unless `everything`."""
    by_verdict: dict[str, list[str]] = {RUNS: [], MAY_STOP: [], NOT_READ: [], STOPS: []}
    for program in programs:
        relative = os.path.relpath(program.path, checked.path)
        by_verdict[program.verdict].append(printable(relative))
    runs = by_verdict.pop(RUNS)
    if len(runs) == len(programs) and not everything:
        return []
    line = f"{len(runs)} of {len(programs)} {noun} run"
    stop = by_verdict.pop(STOPS)
    line += "".join(f"; {len(names)} {verdict}" for verdict, names in by_verdict.items() if names)
    if stop:
        line += "; stops: " + ", ".join(stop)
    if everything:
        return wrapped(line + ".", width, "  ", "    ")
    return ["  " + _cut(line, width - 2)]


def _cut(line: str, width: int) -> str:
    """Returns a list of names, ended by "…" after the last name that fits."""
    if len(line) <= width:
        return line
    names = line[: width - 2].rpartition(", ")[0]
    return f"{names}, …" if names else line[: width - 1] + "…"


def _error_lines(
    checked: Checked, placed: Sequence[Placed], width: int, paint: Paint, *, everything: bool
) -> list[str]:
    """Returns the lines of errors and warnings, of at most `_MOST` groups unless `everything` is true."""
    groups = list(_groups(placed, (ERROR, WARNING)))
    lines: list[str] = []
    for kind, name, places in groups if everything else groups[:_MOST]:
        paths = {place.path for place in places}
        is_doubtful = kind.severity == ERROR and paths <= checked.reached and paths.isdisjoint(checked.sure)
        lines += _group_lines(kind, name, places, width, paint, ending=_DOUBTFUL if is_doubtful else "")
    if len(groups) > _MOST and not everything:
        lines.append(f"  and {len(groups) - _MOST} more: --verbose names them")
    return lines


def _groups(placed: Sequence[Placed], severities: Sequence[str]) -> Iterator[tuple[Kind, str, list[Placed]]]:
    """Yields findings, grouped by kind and name: errors first, then those in most files."""
    groups: dict[tuple[str, str], list[Placed]] = {}
    for each in placed:
        if each.finding.kind.severity in severities:
            label = each.finding.message if each.finding.kind == kinds.SETTINGS else each.finding.what
            groups.setdefault((each.finding.kind.code, label), []).append(each)
    order: Callable[[list[Placed]], tuple[int, int]] = lambda group: (  # noqa: E731
        severities.index(group[0].finding.kind.severity),
        -len(group),
    )
    for group in sorted(groups.values(), key=order):
        yield group[0].finding.kind, group[0].finding.what, group


def _group_lines(
    kind: Kind, name: str, places: list[Placed], width: int, paint: Paint, *, ending: str = ""
) -> list[str]:
    """Returns the lines of equal findings: the first place, the number of others, and the remedy."""
    first = places[0]
    cell = "" if first.finding.cell is None else f"cell {first.finding.cell}:"
    where = f"{first.path}:{cell}{first.finding.line}"
    more = f" and in {len(places) - 1} more" if len(places) > 1 else ""
    head = f"{kind.code} {kind.severity}"
    lines = wrapped(f"{first.finding.message}: {where}{more}{ending}", width, f"  {head}  ", "      ")
    lines[0] = lines[0].replace(head, paint(head, kind.severity), 1)
    remedy = first.finding.remedy.replace("`", "").rstrip(".")
    return lines + (wrapped(remedy + ".", width, "      > ", "        ") if remedy else [])
