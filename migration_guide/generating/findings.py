"""Generates the tables of findings in doctor.md and check.md; all else there is written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterable

from benchmarks.verdicts import counted, share
from migration_guide.generating.markdown import between, table
from migration_guide.generating.upstream import PROGRAMS
from tf1mem.checking import kinds
from tf1mem.checking.verdict import MAY_STOP, RUNS, STOPS
from tf1mem.doctor import judges
from tf1mem.doctor.finding import Kind

GUIDE = Path(__file__).resolve().parents[1]
HEAD = "| code | severity | what it means | how to fix it |\n|---|---|---|---|\n"


def page() -> str:
    """Returns the text of doctor.md, with every kind of the doctor's findings."""
    return _with_table("doctor.md", judges.kinds())


def check_page() -> str:
    """Returns the text of check.md, with every kind of finding of `tf1mem check`, and the accuracy of its verdicts."""
    counts = counted(json.loads(PROGRAMS.read_text(encoding="utf-8")))
    rows = (
        (label, *(str(counts[outcome, verdict]) for verdict in (RUNS, MAY_STOP, STOPS)))
        for outcome, label in ((RUNS, "run here, or stop by an error of their own, as on 1.15.5"), (STOPS, "stop here"))
    )
    verdicts = table(("scripts that", "check says: runs", "may stop", "stops"), rows)
    right = f'{100 * share(counts):.0f}% of the verdicts "runs" and "stops" are right.'
    return between(_with_table("check.md", kinds.kinds()), "verdicts", f"{verdicts}\n\n{right}")


def _with_table(name: str, listed: Iterable[Kind]) -> str:
    before, head, after = (GUIDE / name).read_text(encoding="utf-8").partition(HEAD)
    _, gap, below = ("\n" + after).partition("\n\n")
    rows = (f"| {_code(kind.code)} | {kind.severity} | {kind.meaning} | {kind.remedy} |" for kind in listed)
    return before + head + "\n".join(rows) + gap + below


def _code(code: str) -> str:
    """Returns a code as a link to itself, with an anchor."""
    return f'<a id="{code.lower()}" href="#{code.lower()}">{code}</a>'
