"""How outcomes are told: for people, for programs, for GitHub, and as SARIF. A module each, by the format's name.

Each has a class `Writer`; a module that is added here is one more `--format`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console

    from tf1mem.codemod.trees.outcomes import Outcome, Tally


class Output(NamedTuple):
    """What is told of, and where it goes.

    Attributes:
        to: The target.
        mode: "show" (what would change, with a diff), "check" (without one) or "write".
        stream: Where it is written, as bytes: a diff has those of its file.
        terminal: Whether the stream is a terminal.
        color: Whether people read it in colour.
        verbosity: -1 for what was found alone, 1 also for each change and each file that is left out, else 0.
    """

    to: str
    mode: str
    stream: BinaryIO
    terminal: bool = False
    color: bool = False
    verbosity: int = 0


class FormatWriter(ABC):
    """Writes what became of files in one format.

    Args:
        output: What is told of, and where it goes.

    Attributes:
        output: The same.
        console: The terminal that it writes to, if it does.
    """

    console: Console | None = None

    def __init__(self, output: Output) -> None:
        self.output = output

    @abstractmethod
    def add(self, outcome: Outcome) -> None:
        """Tells of one more file; they come in the order of the tree."""

    @abstractmethod
    def end(self, tally: Tally) -> None:
        """Tells the whole."""


def writer(name: str, output: Output) -> FormatWriter:
    """What writes a format.

    Args:
        name: A module here: "text", "json", "github" or "sarif".
        output: What is told of, and where it goes.
    """
    made: FormatWriter = import_module(f"{__name__}.{name}").Writer(output)
    return made
