"""A stretch of Python inside another text: a notebook's cell, a document's code block.

The text of a stretch and the Python that rules see differ in what is dropped (indentation, prompts, `%time`, output)
and in what stands for something else (`pass` for a magic). Pieces say which byte of one is which of the other.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Callable, Iterable, Iterator, Sequence

from tf1mem.codemod.files.extracts import UnplaceableEdit
from tf1mem.codemod.results import Edit

NEWLINES = (b"\n", b"\r\n")


@dataclass(frozen=True)
class Piece:
    """Some bytes of Python, and the bytes of text that they are or stand for.

    Attributes:
        start: Where they begin in the Python.
        end: Where they end there.
        at: Where they begin in the text.
        until: Where they end there.
        line_at: Where their line begins in the text, with what is dropped before them.
        copied: Whether both are the same bytes; otherwise the Python stands for the text.
        held: Whether they follow a line magic (`%time f()`), which takes one line.
        first: Whether they stand for a cell magic, which nothing may precede.
        line: Whether they stand for a magic with all of its line but the indentation.
        joined: Whether nothing but the line's prefix is dropped between the piece before and this one.
    """

    start: int
    end: int
    at: int
    until: int
    line_at: int
    copied: bool = True
    held: bool = False
    first: bool = False
    line: bool = False
    joined: bool = True

    def moved(self, by: int) -> Piece:
        """The same piece `by` bytes further on in the Python."""
        return replace(self, start=self.start + by, end=self.end + by)


@dataclass(frozen=True)
class StandIn:
    """What takes the place of a magic in the Python.

    Attributes:
        start: Where the magic begins, in the Python as it was read.
        end: Where it ends there.
        python: What stands there instead. Empty where the magic is only dropped and Python follows on its line.
        first: Whether it is a cell magic.
        line: Whether it is a line magic that is all of its line.
    """

    start: int
    end: int
    python: bytes = b""
    first: bool = False
    line: bool = False


class Stretch:
    """Python and text, side by side.

    Args:
        start: Where the stretch begins in the module that rules see.
        python: Its Python.
        pieces: They cover the Python without gaps; offsets in it are the module's.
        prefix: What comes before a line in the text, given the line without its end; None where nothing does.
    """

    def __init__(
        self, start: int, python: bytes, pieces: Sequence[Piece], prefix: Callable[[bytes], bytes] | None = None
    ) -> None:
        self.start = start
        self.end = start + len(python)
        self.python = python
        self.pieces = pieces
        self._starts = [piece.start for piece in pieces]
        self._prefix = prefix
        # Where the cell magics end that nothing but a comment may precede.
        self._head = max((piece.end for piece in pieces if piece.first), default=start)

    def moved(self, by: int) -> Stretch:
        """The same stretch `by` bytes further on in the module."""
        return Stretch(self.start + by, self.python, [piece.moved(by) for piece in self.pieces], self._prefix)

    def text_offset(self, offset: int) -> int:
        """Where in the text a person finds an offset of the module."""
        piece = self.pieces[max(bisect_right(self._starts, offset) - 1, 0)]
        return min(piece.at + offset - piece.start, piece.until) if piece.copied else piece.at

    def place(self, edit: Edit) -> Edit:
        """An edit of the module as an edit of the text.

        Raises:
            UnplaceableEdit: It touches a magic, or what isn't Python.
        """
        if edit.start < self._head and b"\n" in edit.text:
            return self._below_the_head(edit)
        if edit.start == edit.end:
            return self._insertion(edit)
        first, last = self._index(edit.start), self._index(edit.end - 1)
        touched = self.pieces[first : last + 1]
        if touched[-1].line and edit in (self.removal(touched[-1]), self.removal(touched[-1], alone=True)):
            return self._removed(edit, touched)
        if not all(piece.copied for piece in touched):
            raise unplaceable("touches a magic")
        if any(piece.held for piece in touched) and (len(touched) > 1 or b"\n" in edit.text):
            raise unplaceable("reaches beyond the line of a magic")
        if not all(piece.joined for piece in touched[1:]):
            raise unplaceable("reaches beyond what isn't Python")
        at = touched[0].at + edit.start - touched[0].start
        until = touched[-1].at + edit.end - touched[-1].start
        if self._prefix is None:
            return Edit(at, until, edit.text)
        return self._replacement(edit, at, until, first, last)

    def magic_lines(self) -> list[Piece]:
        """The pieces that stand for line magics."""
        return [piece for piece in self.pieces if piece.line]

    def removal(self, piece: Piece, alone: bool = False) -> Edit:
        """The edit of the module that takes a line magic away, line and all.

        Args:
            piece: What stands for it.
            alone: Whether it is all that its block holds: then `pass` stays.
        """
        python = self.python[piece.start - self.start : piece.end - self.start]
        line_end = python[len(python.rstrip(b"\r\n")) :]
        if alone:
            return Edit(piece.start, piece.end, b"pass" + line_end)
        line = self.python.rfind(b"\n", 0, piece.start - self.start) + 1
        return Edit(self.start + line, piece.end, b"")

    def _removed(self, edit: Edit, touched: Sequence[Piece]) -> Edit:
        piece = touched[0]
        at = piece.at + edit.start - piece.start
        whole_line = not edit.text and edit.start == piece.start and self._starts_line(edit.start)
        return Edit(piece.line_at if whole_line else at, touched[-1].until, edit.text)

    def _index(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def _byte(self, offset: int) -> bytes:
        return self.python[offset - self.start : offset - self.start + 1]

    def _starts_line(self, offset: int) -> bool:
        return offset == self.start or self._byte(offset - 1) == b"\n"

    def _rest_of_line(self, offset: int) -> bytes:
        return self.python[offset - self.start :].split(b"\n", 1)[0]

    def _insertion(self, edit: Edit) -> Edit:
        index = self._index(edit.start)
        here = self.pieces[index]
        if edit.start == here.end:  # the stretch's own end
            return self._at_end(edit, here)
        if edit.start > here.start:
            if not here.copied or (here.held and b"\n" in edit.text):
                raise unplaceable("touches a magic")
            return self._inserted(edit, here.at + edit.start - here.start)
        before = self.pieces[index - 1] if index else None
        whole_lines = self._starts_line(edit.start) and edit.text.endswith(b"\n")
        if whole_lines and (self._prefix is not None or here.held or not here.copied):
            return Edit(here.line_at, here.line_at, self._prefixed(edit.text))
        if not here.copied or (here.held and b"\n" in edit.text):
            raise unplaceable("touches a magic")
        if before is not None and not self._starts_line(edit.start):
            if not _leaves_line_alone(before, edit.text):
                raise unplaceable("touches a magic")
            if before.held and here.at == before.until:
                return Edit(before.until, before.until, edit.text)
        return self._inserted(edit, here.at)

    def _below_the_head(self, edit: Edit) -> Edit:
        """Whole lines that come before a cell magic go below it."""
        if edit.start != edit.end or not self._starts_line(edit.start) or not edit.text.endswith(b"\n"):
            raise unplaceable("comes before a cell magic")
        until = self.pieces[self._index(self._head - 1)].until
        line_end = b"" if self._byte(self._head - 1) == b"\n" else b"\n"
        return Edit(until, until, line_end + self._prefixed(edit.text))

    def _at_end(self, edit: Edit, last: Piece) -> Edit:
        if not self._starts_line(edit.start):
            if not _leaves_line_alone(last, edit.text):
                raise unplaceable("touches a magic")
            return self._inserted(edit, last.until)
        text = edit.text
        if self._prefix is not None and text and not text.endswith(b"\n"):
            text += b"\n"
        return Edit(last.until, last.until, self._prefixed(text) if self._prefix is not None else text)

    def _prefixed(self, text: bytes) -> bytes:
        """Whole lines, each with its prefix."""
        if self._prefix is None:
            return text
        *lines, rest = text.split(b"\n")
        return b"".join(self._prefix(line) + line + b"\n" for line in lines) + rest

    def _inserted(self, edit: Edit, at: int) -> Edit:
        """Something inserted within a line."""
        if self._prefix is None or not edit.text:
            return Edit(at, at, edit.text)
        return self._from(edit, at, at, edit.text, self._rest_of_line(edit.end))

    def _replacement(self, edit: Edit, at: int, until: int, first: int, last: int) -> Edit:
        if self._byte(edit.end - 1) != b"\n":
            return self._from(edit, at, until, edit.text, self._rest_of_line(edit.end))
        if self._starts_line(edit.start) and not edit.text:  # whole lines go, and what comes before them
            return Edit(self.pieces[first].line_at, until, b"")
        line_end = 2 if self.python[: edit.end - self.start].endswith(b"\r\n") else 1
        if edit.text.endswith(b"\n"):
            placed = self._from(edit, at, until, edit.text[:-1], b"")
            return replace(placed, text=placed.text + b"\n")
        # What is left of the line runs on into the next one.
        if last + 1 == len(self.pieces):
            return self._from(edit, at, max(at, until - line_end), edit.text, b"")
        below = self.pieces[last + 1]
        if not (below.copied and below.joined) or below.held:
            raise unplaceable("joins a line to a magic")
        return self._from(edit, at, below.at, edit.text, self._rest_of_line(edit.end))

    def _from(self, edit: Edit, at: int, until: int, text: bytes, rest: bytes) -> Edit:
        """Text that begins where an edit does, each line with its prefix; `rest` is what follows on the last."""
        assert self._prefix is not None
        text = self._with_prefixes(text, rest)
        piece = self.pieces[self._index(edit.start)]
        if not self._starts_line(edit.start):
            return Edit(at, until, text)
        line = text.split(b"\n", 1)[0] + (b"" if b"\n" in text else rest)
        if line.strip() and piece.line_at < piece.at:
            return Edit(at, until, text)
        # A blank line has less before it than others.
        return Edit(piece.line_at, until, self._prefix(line) + text)

    def _with_prefixes(self, text: bytes, rest: bytes) -> bytes:
        """Text in which each line but the first has its prefix; `rest` is what follows on the last."""
        assert self._prefix is not None
        first, *more = text.split(b"\n")
        last = len(more) - 1
        lines = [self._prefix(line + rest if index == last else line) + line for index, line in enumerate(more)]
        return b"\n".join([first, *lines])


def _leaves_line_alone(piece: Piece, text: bytes) -> bool:
    """Whether text may come after a piece on its line: after a magic only where it begins a line of its own."""
    if piece.copied and not piece.held:
        return True
    return text.startswith(NEWLINES) or (piece.held and b"\n" not in text)


def unplaceable(why: str) -> UnplaceableEdit:
    """The error for an edit that has no place, and why."""
    return UnplaceableEdit("the edit", why, "Make it by hand")


def assemble(base: Iterable[Piece], python: bytes, stand_ins: Sequence[StandIn]) -> tuple[bytes, list[Piece]]:
    """Python as rules see it: with something in the place of each magic.

    Args:
        base: The pieces of the Python as it was read, all copied.
        python: The Python as it was read.
        stand_ins: What stands for what, in order, without overlaps.

    Returns:
        The Python as rules see it, and its pieces.
    """
    base = list(base)
    if not stand_ins:
        return python, base
    starts = [piece.start for piece in base]
    chunks: list[bytes] = []
    pieces: list[Piece] = []
    length = 0
    read = 0
    held = False

    def text_at(offset: int) -> tuple[int, Piece]:
        piece = base[bisect_right(starts, offset) - 1]
        return piece.at + offset - piece.start, piece

    def copy(start: int, end: int) -> Iterator[Piece]:
        for piece in base[max(bisect_right(starts, start) - 1, 0) :]:
            if piece.start >= end:
                break
            low, high = max(start, piece.start), min(end, piece.end)
            if low >= high:
                continue
            at = piece.at + low - piece.start
            line_at = piece.line_at if low == piece.start else _line_at(python, low, piece)
            yield Piece(low, high, at, at + high - low, line_at, joined=piece.joined if low == piece.start else True)

    def add(start: int, end: int) -> None:
        nonlocal length, held
        stop = end
        if held:
            stop = python.find(b"\n", start, end)
            stop = end if stop < 0 else stop
            stop -= python[start:stop].endswith(b"\r")
        for low, high, of_magic in ((start, stop, held), (stop, end, False)):
            for piece in copy(low, high):
                moved = piece.moved(length - piece.start)
                pieces.append(replace(moved, held=of_magic))
                chunks.append(python[piece.start : piece.end])
                length += piece.end - piece.start
        held = False

    for stand_in in stand_ins:
        add(read, stand_in.start)
        read = stand_in.end
        if not stand_in.python:
            held = True
            continue
        at, piece = text_at(stand_in.start)
        until = text_at(stand_in.end - 1)[0] + 1
        line_at = piece.line_at if stand_in.start == piece.start else _line_at(python, stand_in.start, piece)
        end = length + len(stand_in.python)
        pieces.append(Piece(length, end, at, until, line_at, copied=False, first=stand_in.first, line=stand_in.line))
        chunks.append(stand_in.python)
        length = end
    add(read, len(python))
    return b"".join(chunks), pieces


def _line_at(python: bytes, offset: int, piece: Piece) -> int:
    """Where in the text the line of an offset begins, in a piece that may hold many lines."""
    line = python.rfind(b"\n", piece.start, offset) + 1
    return piece.at + line - piece.start if line > piece.start else piece.line_at
