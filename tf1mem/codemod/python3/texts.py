"""A text that collects edits at the nodes of its syntax tree, and applies them all at the end."""

from __future__ import annotations

import ast
import warnings
from bisect import bisect_right
from typing import Any, NamedTuple

# The order of writes at one place: closing texts, the file's imports, whole statements, opening texts, replacements.
CLOSING, IMPORT, STATEMENT, OPENING, PLACE = range(5)


class Unwritable(Exception):  # noqa: N818 - it states what a place is
    """A place without a translation.

    Args:
        message: A description of the place.
    """


class Piece(NamedTuple):
    """One pending write.

    Attributes:
        start: Offset of the write.
        order: The kind: CLOSING, IMPORT, STATEMENT, OPENING or PLACE.
        number: Number of earlier writes.
        end: Offset just after the replaced text.
        text: The text to insert, or to put in place of the span.
        change: A statement of the change, for people.
    """

    start: int
    order: int
    number: int
    end: int
    text: str
    change: str


class Text:
    """A text with pending writes.

    Args:
        text: The text, which ends with a line end.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: list[Piece] = []
        self.lines = [line + "\n" for line in text.split("\n")][:-1]
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))

    def start(self, node: Any) -> int:
        """Returns the offset at which a node begins."""
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: Any) -> int:
        """Returns the offset at which a node ends."""
        return self._offset(node.end_lineno, node.end_col_offset)

    def line_start(self, number: int) -> int:
        """Returns the offset at which a line begins."""
        return self._starts[number - 1]

    def _offset(self, line: int, column: int) -> int:
        row = self.lines[line - 1]
        ahead = row[:column] if row.isascii() else row.encode()[:column].decode()
        return self._starts[line - 1] + len(ahead)

    def write(self, start: int, order: int, text: str, change: str, end: int | None = None) -> None:
        """Adds a write at a place, or in place of a span on one line.

        Raises:
            Unwritable: The replaced span covers several lines.
        """
        end = start if end is None else end
        if "\n" in self.text[start : max(start, end - 1)]:
            raise Unwritable("it covers several lines")
        self.pieces.append(Piece(start, order, len(self.pieces), end, text, change))

    def wrap(self, node: Any, before: str, behind: str, change: str) -> None:
        """Adds writes around a node."""
        self.write(self.start(node), OPENING, before, change)
        self.write(self.end(node), CLOSING, behind, change)

    def rendered(self, start: int, end: int) -> str:
        """Returns a span with the writes in it so far."""
        inner = [piece for piece in self.pieces if start <= piece.start and piece.end <= end]
        return _joined(self.text, start, end, inner)

    def written(self) -> list[str]:
        """Returns the lines with all writes; one may become several."""
        by_line: dict[int, list[Piece]] = {}
        for piece in self.pieces:
            by_line.setdefault(self.line_of(piece.start), []).append(piece)
        return [
            _joined(self.text, self._starts[number], self._starts[number + 1], by_line.get(number + 1, []))
            for number in range(len(self.lines))
        ]

    def line_of(self, start: int) -> int:
        """Returns the line number of an offset."""
        return min(bisect_right(self._starts, start), len(self.lines))


def _order(piece: Piece) -> tuple[int, int, int]:
    # If several closing texts are at one place, the inner one was added last and comes first.
    return piece.start, piece.order, -piece.number if piece.order == CLOSING else piece.number


def _joined(text: str, start: int, end: int, pieces: list[Piece]) -> str:
    parts = []
    for piece in sorted(pieces, key=_order):
        parts += [text[start : piece.start], piece.text]
        start = max(start, piece.end)
    return "".join([*parts, text[start:end]])


def parsed(text: str | bytes) -> ast.Module:
    """Returns the tree of a text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)
