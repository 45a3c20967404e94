"""Reads the tables in data/, which have one format.

A line is a row of words; the first is most often a namespace or a file, and "." stands for the root. A row whose first
words occur again continues there. A line `[gone]` starts a section, and "#" a line of comment. Rows of names with new
homes have the old namespace, the new one, and names: "name", or "old=new".
"""

from __future__ import annotations

from pathlib import Path
from typing import Iterable, Iterator, NamedTuple

from tf1mem.machine.modules import dotted_name

DATA = Path(__file__).parent / "data"


class OldName(NamedTuple):
    """A name of TensorFlow 1 that has another home now.

    Attributes:
        namespace: The namespace or file that had it, such as "python.ops.control_flow_ops"; "" is the root.
        name: The name there.
        home: The namespace or module that has it now.
        there: The name in that home.
    """

    namespace: str
    name: str
    home: str
    there: str

    @property
    def path(self) -> str:
        """The dotted name in TensorFlow 1."""
        return dotted_name(self.namespace, self.name)

    @property
    def new_path(self) -> str:
        """The dotted name in the new home."""
        return dotted_name(self.home, self.there)

    @property
    def is_public(self) -> bool:
        """True if its home is a public namespace."""
        return not (self.home + ".").startswith("python.")


def sections(table: str) -> dict[str, list[list[str]]]:
    """Returns the rows of each section of a table, as lists of words; "" has those before the first section.

    Args:
        table: The file's name without ".txt", such as "contrib".
    """
    rows: list[list[str]] = []
    by_section = {"": rows}
    for line in (DATA / (table + ".txt")).read_text("utf-8").splitlines():
        if line.startswith("["):
            rows = by_section[line[1:-1]] = []
        elif line and not line.startswith("#"):
            rows.append(["" if word == "." else word for word in line.split()])
    return by_section


def words(rows: Iterable[list[str]]) -> list[str]:
    """Returns all words of rows."""
    return [word for row in rows for word in row]


def by_first_word(rows: Iterable[list[str]]) -> dict[str, list[str]]:
    """Returns the other words of rows by their first word."""
    others: dict[str, list[str]] = {}
    for first, *further in rows:
        others.setdefault(first, []).extend(further)
    return others


def old_names(rows: Iterable[list[str]]) -> Iterator[OldName]:
    """Yields the names in rows of names with new homes."""
    for namespace, home, *entries in rows:
        for entry in entries:
            name, _, there = entry.partition("=")
            yield OldName(namespace, name, home, there or name)
