"""A mapping between Python and the text around it, byte by byte: a notebook's cell, a document's code block.

The text has parts that rules don't see (indentation, prompts, `%time`, output) and parts that are replaced (`pass` for
a magic). Segments map the bytes of both.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from typing import Callable, Iterable, Iterator, NamedTuple, Sequence

from tf1mem.codemod.files.extracts import unplaceable
from tf1mem.codemod.results import Edit
from tf1mem.notebooks.magics import LineMagic, Placeholder, find_magics

_LINE_ENDS = (b"\n", b"\r\n")


class CodeLine(NamedTuple):
    """A line of text with Python in it.

    Attributes:
        start: Offset in the text at which the line begins.
        at: Offset at which its code begins: after indentation, quote marks, prompts.
        end: Offset just after the line, line end included.
        joined: True if only the line's prefix lies between the previous line's code and this one's.
    """

    start: int
    at: int
    end: int
    joined: bool = True


@dataclass(frozen=True)
class Segment:
    """Some bytes of Python, and the bytes of text that they are or replace.

    Attributes:
        start: Offset at which they begin in the Python.
        end: Offset at which they end there.
        at: Offset at which they begin in the text.
        until: Offset at which they end there.
        line_at: Offset in the text at which their line begins, with the dropped part before them.
        copied: True if both are the same bytes; otherwise the Python replaces the text.
        held: True if they follow a line magic (`%time f()`), and so have to stay on one line.
        is_cell_magic: True if they replace a cell magic, which must stay on top of its cell.
        line: The line magic that they replace; None if they replace none.
        joined: True if only the line's prefix is dropped between the previous segment and this one.
    """

    start: int
    end: int
    at: int
    until: int
    line_at: int
    copied: bool = True
    held: bool = False
    is_cell_magic: bool = False
    line: LineMagic | None = None
    joined: bool = True


class SourceMap:
    """Python and its text, side by side.

    Args:
        python: The Python as rules see it.
        segments: Segments that cover the Python without gaps.
        prefix: Returns the text before a line, given the line without its end; None if there is none.
    """

    def __init__(
        self, python: bytes, segments: Sequence[Segment], prefix: Callable[[bytes], bytes] | None = None
    ) -> None:
        self.python = python
        self.segments = segments
        self._starts = [segment.start for segment in segments]
        self._prefix = prefix
        # The end of the cell magics that only comments may precede.
        self._head = max((segment.end for segment in segments if segment.is_cell_magic), default=0)

    def text_offset(self, offset: int) -> int:
        """Returns the offset in the text for an offset of the Python, for people."""
        segment = self.segments[max(bisect_right(self._starts, offset) - 1, 0)]
        return min(segment.at + offset - segment.start, segment.until) if segment.copied else segment.at

    def place(self, edit: Edit) -> Edit:
        """Converts an edit of the Python to an edit of the text.

        Raises:
            UnplaceableEdit: The edit touches a magic, or text that isn't Python.
        """
        if edit.start < self._head and b"\n" in edit.text:
            return self._below_the_head(edit)
        if edit.start == edit.end:
            return self._insertion(edit)
        first, last = self._index(edit.start), self._index(edit.end - 1)
        touched = self.segments[first : last + 1]
        if touched[-1].line and edit in (self.removal(touched[-1]), self.removal(touched[-1], alone=True)):
            return self._removed(edit, touched)
        if not all(segment.copied for segment in touched):
            raise unplaceable("touches a magic")
        if any(segment.held for segment in touched) and (len(touched) > 1 or b"\n" in edit.text):
            raise unplaceable("reaches beyond the line of a magic")
        if not all(segment.joined for segment in touched[1:]):
            raise unplaceable("reaches beyond what isn't Python")
        at = touched[0].at + edit.start - touched[0].start
        until = touched[-1].at + edit.end - touched[-1].start
        if self._prefix is None:
            return Edit(at, until, edit.text)
        return self._replacement(edit, at, until, first, last)

    def removal(self, segment: Segment, alone: bool = False) -> Edit:
        """Returns the edit of the Python that removes a line magic with its line.

        Args:
            segment: The magic's segment.
            alone: True if its block holds nothing else: then `pass` stays.
        """
        python = self.python[segment.start : segment.end]
        line_end = python[len(python.rstrip(b"\r\n")) :]
        if alone:
            return Edit(segment.start, segment.end, b"pass" + line_end)
        return Edit(self.python.rfind(b"\n", 0, segment.start) + 1, segment.end, b"")

    def _removed(self, edit: Edit, touched: Sequence[Segment]) -> Edit:
        segment = touched[0]
        at = segment.at + edit.start - segment.start
        whole_line = not edit.text and edit.start == segment.start and self._starts_line(edit.start)
        return Edit(segment.line_at if whole_line else at, touched[-1].until, edit.text)

    def _index(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def _byte(self, offset: int) -> bytes:
        return self.python[offset : offset + 1]

    def _starts_line(self, offset: int) -> bool:
        return not offset or self._byte(offset - 1) == b"\n"

    def _rest_of_line(self, offset: int) -> bytes:
        return self.python[offset:].split(b"\n", 1)[0]

    def _insertion(self, edit: Edit) -> Edit:
        """Returns an insertion in the original source, beside or between lines that were copied from there."""
        index = self._index(edit.start)
        here = self.segments[index]
        if edit.start == here.end:  # the end of the Python
            return self._at_end(edit, here)
        if edit.start > here.start:
            if not here.copied or (here.held and b"\n" in edit.text):
                raise unplaceable("touches a magic")
            return self._inserted(edit, here.at + edit.start - here.start)
        before = self.segments[index - 1] if index else None
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
        """Moves whole lines that would precede a cell magic below it."""
        if edit.start != edit.end or not self._starts_line(edit.start) or not edit.text.endswith(b"\n"):
            raise unplaceable("comes before a cell magic")
        until = self.segments[self._index(self._head - 1)].until
        line_end = b"" if self._byte(self._head - 1) == b"\n" else b"\n"
        return Edit(until, until, line_end + self._prefixed(edit.text))

    def _at_end(self, edit: Edit, last: Segment) -> Edit:
        if not self._starts_line(edit.start):
            if not _leaves_line_alone(last, edit.text):
                raise unplaceable("touches a magic")
            return self._inserted(edit, last.until)
        text = edit.text
        if self._prefix is not None and text and not text.endswith(b"\n"):
            text += b"\n"
        return Edit(last.until, last.until, self._prefixed(text))

    def _prefixed(self, text: bytes) -> bytes:
        """Returns whole lines, each with its prefix."""
        if self._prefix is None:
            return text
        *lines, remainder = text.split(b"\n")
        return b"".join(self._prefix(line) + line + b"\n" for line in lines) + remainder

    def _inserted(self, edit: Edit, at: int) -> Edit:
        """Returns an insertion within a line."""
        if self._prefix is None or not edit.text:
            return Edit(at, at, edit.text)
        return self._from(edit, at, at, edit.text, self._rest_of_line(edit.end))

    def _replacement(self, edit: Edit, at: int, until: int, first: int, last: int) -> Edit:
        """Returns a replacement in the original source, with the rest of the last line if its end is replaced."""
        if self._byte(edit.end - 1) != b"\n":
            return self._from(edit, at, until, edit.text, self._rest_of_line(edit.end))
        if self._starts_line(edit.start) and not edit.text:  # whole lines go, and what comes before them
            return Edit(self.segments[first].line_at, until, b"")
        line_end = 2 if self.python[: edit.end].endswith(b"\r\n") else 1
        if edit.text.endswith(b"\n"):
            placed = self._from(edit, at, until, edit.text[:-1], b"")
            return replace(placed, text=placed.text + b"\n")
        # The remainder of the line continues with the next line.
        if last + 1 == len(self.segments):
            return self._from(edit, at, max(at, until - line_end), edit.text, b"")
        below = self.segments[last + 1]
        if not (below.copied and below.joined) or below.held:
            raise unplaceable("joins a line to a magic")
        return self._from(edit, at, below.at, edit.text, self._rest_of_line(edit.end))

    def _from(self, edit: Edit, at: int, until: int, text: bytes, following: bytes) -> Edit:
        """Returns an edit that begins where `edit` does, with prefixes; `following` is the rest of the last line."""
        assert self._prefix is not None
        text = self._with_prefixes(text, following)
        segment = self.segments[self._index(edit.start)]
        if not self._starts_line(edit.start):
            return Edit(at, until, text)
        line = text.split(b"\n", 1)[0] + (b"" if b"\n" in text else following)
        if line.strip() and segment.line_at < segment.at:
            return Edit(at, until, text)
        # A blank line has a shorter prefix than others.
        return Edit(segment.line_at, until, self._prefix(line) + text)

    def _with_prefixes(self, text: bytes, following: bytes) -> bytes:
        """Returns text in which each line but the first has its prefix; `following` is the rest of the last line."""
        assert self._prefix is not None
        first, *more = text.split(b"\n")
        last = len(more) - 1
        lines = [self._prefix(line + following if index == last else line) + line for index, line in enumerate(more)]
        return b"\n".join([first, *lines])


def _leaves_line_alone(segment: Segment, text: bytes) -> bool:
    """Returns True if text may follow a segment on its line: behind a magic, only text that begins its own line."""
    if segment.copied and not segment.held:
        return True
    return text.startswith(_LINE_ENDS) or (segment.held and b"\n" not in text)


def code_map(text: bytes, lines: Iterable[CodeLine], prefix: Callable[[bytes], bytes] | None) -> SourceMap:
    """Returns the Python on some lines of a text, as rules see it: with placeholders for magics.

    It is empty for a cell in another language, such as one that begins with `%%bash`.

    Args:
        text: A cell, or a document.
        lines: The lines with Python, in order.
        prefix: Returns the text before a line (see `SourceMap`).
    """
    segments, python = _segments(text, lines)
    magics = find_magics(python)
    if magics is None:
        return SourceMap(b"", [])
    segments, python = _with_placeholders(segments, python, magics)
    return SourceMap(python, segments, prefix)


def _segments(text: bytes, lines: Iterable[CodeLine]) -> tuple[list[Segment], bytes]:
    """Returns the Python on some lines of a text: its segments, and its bytes."""
    segments: list[Segment] = []
    length = 0
    for line in lines:
        end = length + line.end - line.at
        if end > length:
            segments.append(Segment(length, end, line.at, line.end, line.start, joined=line.joined))
        length = end
    return segments, b"".join(text[segment.at : segment.until] for segment in segments)


def _with_placeholders(
    segments: Sequence[Segment], python: bytes, placeholders: Sequence[Placeholder]
) -> tuple[list[Segment], bytes]:
    """Returns the Python as rules see it: with a placeholder for each magic.

    Args:
        segments: Segments of the Python before the replacement, all copied.
        python: The Python before the replacement.
        placeholders: The placeholders with the spans that they replace, in order, without overlaps.

    Returns:
        The segments and the Python as rules see them.
    """
    if not placeholders:
        return list(segments), python
    cuts = {cut for each in placeholders for cut in (each.start, each.end)}
    in_order = sorted(cuts | {_held_until(python, each) for each in placeholders if not each.replacement})
    waiting = list(placeholders)
    placed: list[Segment] = []
    chunks: list[bytes] = []
    length = 0

    def add(segment: Segment, chunk: bytes) -> None:
        nonlocal length
        placed.append(replace(segment, start=length, end=length + len(chunk)))
        chunks.append(chunk)
        length += len(chunk)

    held_until = 0
    whole: Segment | None = None  # the text that the next placeholder replaces, as far as it has been read
    for part in (part for segment in segments for part in _cut(segment, in_order, python)):
        if not waiting or part.start < waiting[0].start:
            add(replace(part, held=part.start < held_until), python[part.start : part.end])
            continue
        whole = replace(whole or part, until=part.until)
        if part.end < waiting[0].end:
            continue
        placeholder = waiting.pop(0)
        if placeholder.replacement:
            seen = replace(
                whole, copied=False, is_cell_magic=placeholder.is_cell_magic, line=placeholder.line, joined=True
            )
            add(seen, placeholder.replacement)
        else:
            held_until = _held_until(python, placeholder)
        whole = None
    return placed, b"".join(chunks)


def _held_until(python: bytes, dropped: Placeholder) -> int:
    """Returns the offset at which a magic's line ends, line end excluded."""
    end = python.find(b"\n", dropped.end)
    end = len(python) if end < 0 else end
    return end - python[dropped.end : end].endswith(b"\r")


def _cut(segment: Segment, cuts: Sequence[int], python: bytes) -> Iterator[Segment]:
    """Yields a segment in parts, none of which crosses a cut."""
    inner = cuts[bisect_right(cuts, segment.start) : bisect_left(cuts, segment.end)]
    for start, end in zip([segment.start, *inner], [*inner, segment.end]):
        at = segment.at + start - segment.start
        line = python.rfind(b"\n", segment.start, start) + 1
        line_at = segment.at + line - segment.start if line else segment.line_at
        joined = segment.joined or start > segment.start
        yield Segment(start, end, at, at + end - start, line_at, joined=joined)
