"""A text, what is to be written into it by the places of its tree, and what comes of it line by line."""

from __future__ import annotations

import ast
import warnings
from bisect import bisect_right
from typing import Any, NamedTuple

# In what order things stand at one place: what closes, the file's imports, whole statements, what opens, what takes
# something's place.
CLOSING, IMPORT, STATEMENT, OPENING, PLACE = range(5)


class Unwritable(Exception):  # noqa: N818 - it states what a place is
    """A place that can't be written.

    Args:
        message: What is there.
    """


class Piece(NamedTuple):
    """What is to be written.

    Attributes:
        start: Where: an offset.
        order: What kind it is.
        number: How many came before.
        end: Where that ends whose place it takes.
        text: What.
        what: What it does, for people.
    """

    start: int
    order: int
    number: int
    end: int
    text: str
    what: str


class Text:
    """A text that is written into.

    Args:
        text: It, with a line end at its end.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: list[Piece] = []
        self.lines = [line + "\n" for line in text.split("\n")][:-1]
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))

    def start(self, node: Any) -> int:
        """Where a node begins."""
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: Any) -> int:
        """Where it ends."""
        return self._offset(node.end_lineno, node.end_col_offset)

    def line_start(self, number: int) -> int:
        """Where a line begins."""
        return self._starts[number - 1]

    def _offset(self, line: int, column: int) -> int:
        row = self.lines[line - 1]
        ahead = row[:column] if row.isascii() else row.encode()[:column].decode()
        return self._starts[line - 1] + len(ahead)

    def write(self, start: int, order: int, text: str, what: str, end: int | None = None) -> None:
        """Has something written at a place, or in the place of what is on one line.

        Raises:
            Unwritable: What goes is on more than one.
        """
        end = start if end is None else end
        if "\n" in self.text[start : max(start, end - 1)]:
            raise Unwritable("it goes over a line's end")
        self.pieces.append(Piece(start, order, len(self.pieces), end, text, what))

    def wrap(self, node: Any, before: str, behind: str, what: str) -> None:
        """Has something written around a node."""
        self.write(self.start(node), OPENING, before, what)
        self.write(self.end(node), CLOSING, behind, what)

    def rendered(self, start: int, end: int) -> str:
        """What a stretch becomes by what is to be written in it so far."""
        inner = [one for one in self.pieces if start <= one.start and one.end <= end]
        return _joined(self.text, start, end, inner)

    def written(self) -> list[str]:
        """The lines, each as it becomes; one may become several."""
        by_line: dict[int, list[Piece]] = {}
        for piece in self.pieces:
            by_line.setdefault(self.line_of(piece.start), []).append(piece)
        return [
            _joined(self.text, self._starts[number], self._starts[number + 1], by_line.get(number + 1, []))
            for number in range(len(self.lines))
        ]

    def line_of(self, start: int) -> int:
        """The number of the line of an offset."""
        return min(bisect_right(self._starts, start), len(self.lines))


def _order(piece: Piece) -> tuple[int, int, int]:
    # Of what closes at one place, the inner came last and goes first.
    return piece.start, piece.order, -piece.number if piece.order == CLOSING else piece.number


def _joined(text: str, start: int, end: int, pieces: list[Piece]) -> str:
    parts = []
    for piece in sorted(pieces, key=_order):
        parts += [text[start : piece.start], piece.text]
        start = max(start, piece.end)
    return "".join([*parts, text[start:end]])


def parsed(text: str | bytes) -> ast.Module:
    """The tree of a text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)
