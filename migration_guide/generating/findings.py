"""doctor.md: its table of findings; the rest of the page is written by hand."""

from __future__ import annotations

from pathlib import Path

from tf1mem.doctor import judges

PAGE = Path(__file__).resolve().parents[1] / "doctor.md"
HEAD = "| code | | what it means | what mends it |\n|---|---|---|---|\n"


def page() -> str:
    """The text of doctor.md, with every kind of finding that the doctor has."""
    before, head, after = PAGE.read_text(encoding="utf-8").partition(HEAD)
    _, gap, rest = after.partition("\n\n")
    rows = (f"| {kind.code} | {kind.severity} | {kind.meaning} | {kind.mend} |" for kind in judges.kinds())
    return before + head + "\n".join(rows) + gap + rest
