"""Writes the table of repairs into old_programs.md; the rest of the page is written by hand."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Iterator

from migration_guide.generating.markdown import code, table
from tf1mem.era import LIBRARIES
from tf1mem.era.repairs import ELEMENT

PAGE = Path(__file__).resolve().parents[1] / "old_programs.md"
BEGIN, END = "<!-- The table is generated. -->", "<!-- Its end. -->"

# Names of repairs -> how the table shows them.
_SHOWN = {ELEMENT: "x[i]"}
# The names of classes in pandas 2 -> those of pandas 3, so that the table is the same with either.
_CLASSES = {
    "pandas.core.frame.DataFrame": "pandas.DataFrame",
    "pandas.core.series.Series": "pandas.Series",
    "pandas.core.groupby.generic.DataFrameGroupBy": "pandas.api.typing.DataFrameGroupBy",
}


def page() -> str:
    """Returns the text of old_programs.md, with every repair."""
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    return f"{before}{BEGIN}\n\n{table(('since', 'in', 'repaired'), _rows())}\n\n{END}{after}"


def _rows() -> Iterator[tuple[str, str, str]]:
    groups: dict[tuple[str, str, str], list[str]] = {}
    for library in LIBRARIES:
        for repair in import_module(f"tf1mem.era.{library}").REPAIRS:
            # A module is listed by the rows of its names.
            if not isinstance(repair.home, ModuleType):
                calls = repair.what.rpartition(repair.name)[2].partition(" ")[2]
                kind = f"{' ' * bool(calls)}{calls}, which it {repair.did}" if repair.is_in_need else ""
                name = code(_SHOWN.get(repair.name, repair.name))
                groups.setdefault((repair.since, _CLASSES.get(repair.owner, repair.owner), kind), []).append(name)
    for (since, owner, kind), names in groups.items():
        yield since, code(owner), ", ".join(names) + kind
