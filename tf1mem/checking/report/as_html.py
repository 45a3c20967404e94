"""Verdicts as one page of HTML: the programs of each path, then the findings by file, with line and remedy."""

from __future__ import annotations

from typing import Iterable, Iterator, Sequence

from tf1mem import pages
from tf1mem.checking.here import Here
from tf1mem.checking.report import page
from tf1mem.checking.verdict import MAY_STOP, NOT_READ, RUNS, SOME_STOP, STOPS, Checked, CheckedProgram, Placed
from tf1mem.doctor.finding import ERROR, NOTE, WARNING

_COLORS = {STOPS: pages.BAD, SOME_STOP: pages.BAD, NOT_READ: pages.BAD, MAY_STOP: pages.OPEN, RUNS: pages.GOOD}
_COLORS_OF_SEVERITIES = {ERROR: pages.BAD, WARNING: pages.OPEN, NOTE: "quiet"}
# The verdicts, the worst first, with the words that follow a number of programs. No single program has `SOME_STOP`.
_VERDICTS = {STOPS: "stop", SOME_STOP: "", NOT_READ: "not read", MAY_STOP: "may stop", RUNS: "run"}


def document(checked: Sequence[Checked], here: Here) -> str:
    """Returns the page.

    Args:
        checked: The results of the checked paths.
        here: The Python and packages that they were compared with.
    """
    outcomes = _outcomes([program for each in checked for program in each.deciding])
    tests = [program for each in checked for program in each.tests]
    worst = next(verdict for verdict in _VERDICTS if verdict in {each.verdict for each in checked})
    return pages.page(
        "tf1mem check: " + worst,
        pages.tag("h1", "Will old programs run here?"),
        pages.verdict(_COLORS[worst], f"Programs: {outcomes}" + (f"; tests: {_outcomes(tests)}" if tests else "")),
        pages.tag("p", ", ".join([*here.lines(), "by tf1mem run"])),
        pages.table(page.HEAD, map(_row, enumerate(checked)), (1, 2, 3)),
        *(part for number, each in enumerate(checked) for part in _path(number, each)),
    )


def _outcomes(programs: Sequence[CheckedProgram]) -> str:
    """Returns the number of programs by verdict, in words."""
    verdicts = [program.verdict for program in programs]
    counts = ((verdicts.count(verdict), words) for verdict, words in _VERDICTS.items())
    return ", ".join(f"{count} {words}" for count, words in counts if count) or "none"


def _row(numbered: tuple[int, Checked]) -> list[object]:
    number, checked = numbered
    path, *cells, verdict = page.cells_of(checked)
    return [pages.tag("a", path, href=f"#path-{number}"), *cells, _painted(verdict)]


def _painted(verdict: str) -> str:
    return pages.tag("b", verdict, css=_COLORS[verdict])


def _path(number: int, checked: Checked) -> Iterator[str]:
    yield pages.tag("h2", checked.path, id=f"path-{number}")
    if not checked.programs:
        yield pages.tag("p", "It has no program.")
    for head, programs in (("program", checked.deciding), ("test", checked.tests)):
        worst_first = sorted(programs, key=lambda program: list(_VERDICTS).index(program.verdict))
        rows = [(program.path, _painted(program.verdict), ", ".join(program.stops)) for program in worst_first]
        if rows:
            yield pages.table((head, "verdict", "stopped by"), rows)
    yield pages.items(f"{path} was not read: {why}." for path, why in checked.problems)
    reached = [placed for placed in checked.placed if placed.path in checked.reached]
    unreached = [placed for placed in checked.placed if placed.path not in checked.reached]
    yield from _files(reached, (ERROR, WARNING))
    for title, placed, severities in (
        ("Findings in files that no program imports", unreached, (ERROR, WARNING)),
        ("Repairs and GPU settings", checked.placed, (NOTE,)),
    ):
        files = list(_files(placed, severities))
        if files:
            yield pages.details(title, *files)


def _files(placed: Iterable[Placed], severities: Sequence[str]) -> Iterator[str]:
    by_file: dict[str, list[Placed]] = {}
    for each in placed:
        if each.finding.kind.severity in severities:
            by_file.setdefault(each.path, []).append(each)
    for path, findings in by_file.items():
        yield pages.tag("h3", path)
        yield pages.items(map(_finding, findings))


def _finding(placed: Placed) -> str:
    finding = placed.finding
    cell = "" if finding.cell is None else f"cell {finding.cell}, "
    code = pages.tag("b", finding.kind.code, css=_COLORS_OF_SEVERITIES[finding.kind.severity])
    remedy = pages.tag("div", *pages.spans(finding.remedy), css="quiet") if finding.remedy else ""
    return pages.Html(
        pages.tag("span", f"{cell}line {finding.line}: ", code, " ", *pages.spans(finding.message)) + remedy
    )
