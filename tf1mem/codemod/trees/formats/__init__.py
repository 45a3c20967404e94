"""Reports of outcomes: for people, for programs, for GitHub, and as SARIF. One module each, named after its format.

Each has a class `Writer`; adding a module adds a `--format`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console

    from tf1mem.codemod.trees.outcomes import Outcome, Tally


class Output(NamedTuple):
    """The destination of a report.

    Attributes:
        to: The target: "shim", "apply" or "native"; or "python3".
        mode: "show" (planned changes, with a diff), "check" (without a diff) or "write".
        stream: The binary stream: a diff has the bytes of its file.
        terminal: True if the stream is a terminal.
        color: True if people read it in colour.
        verbosity: -1 for findings only, 1 also for each change and each file left out, else 0.
    """

    to: str
    mode: str
    stream: BinaryIO
    terminal: bool = False
    color: bool = False
    verbosity: int = 0


class FormatWriter(ABC):
    """Writes outcomes in one format.

    Args:
        output: The destination.

    Attributes:
        output: The destination.
        console: The terminal that it writes to; None if it writes to none.
    """

    console: Console | None = None

    def __init__(self, output: Output) -> None:
        self.output = output

    @abstractmethod
    def add(self, outcome: Outcome) -> None:
        """Reports one more file; files come in the order of the tree."""

    @abstractmethod
    def end(self, tally: Tally) -> None:
        """Reports the summary."""


def writer(name: str, output: Output) -> FormatWriter:
    """Returns the writer of a format.

    Args:
        name: Name of a module here: "text", "json", "github" or "sarif".
        output: The destination.
    """
    format_writer: FormatWriter = import_module(f"{__name__}.{name}").Writer(output)
    return format_writer
