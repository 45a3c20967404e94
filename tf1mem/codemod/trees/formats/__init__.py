"""How outcomes are told: for people, for programs, for GitHub, and as SARIF. One module each."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import BinaryIO, Protocol

from tf1mem.codemod.trees.outcomes import Outcome, Tally


@dataclass(frozen=True)
class Situation:
    """What a report is about, and where it goes.

    Attributes:
        to: The target.
        mode: "show" (what would change, with a diff), "check" (without one) or "write".
        out: Where the report is written, as bytes: a diff has those of its file.
        terminal: Whether people read `out` on a terminal that shows colours.
    """

    to: str
    mode: str
    out: BinaryIO
    terminal: bool = False


class Report(Protocol):
    """A way of telling."""

    def add(self, outcome: Outcome) -> None:
        """Tells of one more file; they come in the order of the tree."""

    def end(self, tally: Tally) -> None:
        """Tells the whole."""


def report(name: str, situation: Situation) -> Report:
    """A report of a kind.

    Args:
        name: "text", "json", "github" or "sarif".
        situation: What it is about, and where it goes.
    """
    made: Report = import_module(f"{__name__}.{_MODULES[name]}").Report(situation)
    return made


_MODULES = {"text": "text", "json": "as_json", "github": "github", "sarif": "sarif"}
