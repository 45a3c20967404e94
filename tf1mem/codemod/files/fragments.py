"""A file with Python in several places that form one module.

Notebooks and guides import TensorFlow in one place and use it in the next.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Iterable, NamedTuple, Sequence

from tf1mem.codemod.files.extracts import Extract, Lines, Magic, unplaceable
from tf1mem.codemod.files.source_map import Segment, SourceMap
from tf1mem.codemod.results import Edit

_STRING_OR_COMMENT = re.compile(
    rb"""
    \"\"\" [^"\\]* (?: (?: \\. | "(?!"") ) [^"\\]* )* \"\"\"
  | ''' [^'\\]* (?: (?: \\. | '(?!'') ) [^'\\]* )* '''
  | " [^"\\\n]* (?: \\. [^"\\\n]* )* "
  | ' [^'\\\n]* (?: \\. [^'\\\n]* )* '
  | \# [^\n]*
    """,
    re.DOTALL | re.VERBOSE,
)


class Fragment(NamedTuple):
    """The Python of one place: a cell or a code block.

    Attributes:
        map: The Python, and its mapping to the text around it.
        lines: Lines and columns of the text.
        number: Number of the cell, from 1; None if lines are counted in the file.
    """

    map: SourceMap
    lines: Lines
    number: int | None = None


class FragmentedFile(Extract):
    """The common part of notebooks and documents.

    Args:
        kind: "notebook", "markdown" or "rst".
        fragments: The places with Python, in the file's order. Those that could swallow the ones behind them are moved
            to the module's end.
    """

    def __init__(self, kind: str, fragments: Iterable[Fragment]) -> None:
        self._fragments = sorted(fragments, key=lambda each: is_unfinished(each.map.python))
        self._starts: list[int] = []
        magics: list[Magic] = []
        start = 0
        for fragment in self._fragments:
            self._starts.append(start)
            for segment in fragment.map.segments:
                if segment.line is not None:
                    text = segment.line.text.decode("utf-8", "surrogateescape")
                    removal = _moved(fragment.map.removal(segment, segment.line.alone), start)
                    magics.append(Magic(*self._span(fragment, segment), text, start + segment.start, removal))
            start += len(fragment.map.python) + 1
        python = b"\n".join(fragment.map.python for fragment in self._fragments)
        spans = [(start, start + len(each.map.python)) for start, each in zip(self._starts, self._fragments)]
        super().__init__(kind, python, spans, sorted(magics, key=lambda magic: magic.start))

    def place(self, edits: Sequence[Edit]) -> list[Edit]:
        """See `Extract.place`."""
        by_fragment: dict[int, list[int]] = {}
        for index, edit in enumerate(edits):
            by_fragment.setdefault(self._number_at(edit), []).append(index)
        placed: dict[int, Edit] = {}
        for number, indices in by_fragment.items():
            fragment, start = self._fragments[number], self._starts[number]
            own = [fragment.map.place(_moved(edits[index], -start)) for index in indices]
            placed.update(zip(indices, self._in_file(fragment, own)))
        return [placed[index] for index in range(len(edits))]

    def locate(self, offset: int) -> tuple[int, int, int | None]:
        """See `Extract.locate`."""
        if not self._fragments:
            return 1, 1, None
        number = max(bisect_right(self._starts, offset) - 1, 0)
        fragment = self._fragments[number]
        return (*fragment.lines.find(fragment.map.text_offset(offset - self._starts[number])), fragment.number)

    def _number_at(self, edit: Edit) -> int:
        number = bisect_right(self._starts, edit.start) - 1
        if number < 0 or max(edit.start, edit.end) > self.cells[number][1]:
            raise unplaceable("crosses the end of a cell or a code block")
        return number

    def _span(self, fragment: Fragment, segment: Segment) -> tuple[int, int]:
        """Returns the offsets of a segment in the file."""
        return segment.at, segment.until

    def _in_file(self, fragment: Fragment, edits: list[Edit]) -> list[Edit]:
        """Converts edits of a fragment's text to edits of the file."""
        return edits


def _moved(edit: Edit, by: int) -> Edit:
    return Edit(edit.start + by, edit.end + by, edit.text)


def is_unfinished(python: bytes) -> bool:
    """Returns True if Python leaves a string or a bracket open, or ends in a backslash.

    Such a cell doesn't run; in a module with others, it would swallow the start of the next one. The test reads the
    text, not the grammar: other broken code does no harm to its neighbours.

    Args:
        python: Python 2 or 3.
    """
    bare = _STRING_OR_COMMENT.sub(b"", python)
    if b'"' in bare or b"'" in bare or bare.rstrip().endswith(b"\\"):
        return True
    return any(bare.count(pair[:1]) != bare.count(pair[1:]) for pair in (b"()", b"[]", b"{}"))
