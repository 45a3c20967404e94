"""The Python of a file as one module, and the mapping of edits back to the file.

A rule reads and edits plain Python. For a file with Python among other content (a notebook, a Markdown or
reStructuredText document), an `Extract` provides the one module that rules see, and turns its edits into edits of the
file.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from functools import cached_property
from typing import NamedTuple, Sequence

from tf1mem.codemod.results import Edit
from tf1mem.errors import Tf1memError


class UnplaceableEdit(Tf1memError, ValueError):  # noqa: N818 - it states what the edit is
    """An edit of the Python without a place in the file: it crosses a cell's end, or touches a magic."""


def unplaceable(why: str) -> UnplaceableEdit:
    """Returns the error for an edit without a place."""
    return UnplaceableEdit("the edit", why, "Make it by hand")


class Magic(NamedTuple):
    """A line of a notebook for IPython itself: `%tensorflow_version 1.x`, `!pip install …`.

    Attributes:
        start: Offset in the file at which it begins.
        end: Offset just after its line, line end included.
        text: The magic without indentation and line end: "%tensorflow_version 1.x".
        offset: Offset of its placeholder in `Extract.python`.
        removal: The edit of `Extract.python` that removes its line; a block that holds nothing else keeps `pass`. It
            goes through `Extract.place` together with all other edits.
    """

    start: int
    end: int
    text: str
    offset: int
    removal: Edit


class Extract(ABC):
    """The Python of one file.

    Attributes:
        kind: "python", "notebook", "markdown" or "rst".
        python: The whole Python as one module: in UTF-8 for a notebook, else in the file's encoding.
        cells: Offsets in `python` at which each cell, or each block of a document, begins and ends. They are in the
            file's order, except that those with an open bracket or string come last, so that they can't swallow others.
        magics: The lines for IPython itself, in order. In `python` they are replaced by a comment or `pass`.
    """

    def __init__(
        self, kind: str, python: bytes, cells: Sequence[tuple[int, int]] = (), magics: Sequence[Magic] = ()
    ) -> None:
        self.kind = kind
        self.python = python
        self.cells = tuple(cells)
        self.magics = tuple(magics)

    @property
    def is_python2(self) -> bool:
        """True for a notebook that `tf1mem run` reads as Python 2, even the cells that Python 3 compiles."""
        return False

    def python3_metadata_edits(self) -> list[Edit]:
        """Returns the edits of the file that change a notebook's metadata from Python 2 to Python 3, in order."""
        return []

    @abstractmethod
    def place(self, edits: Sequence[Edit]) -> list[Edit]:
        """Converts edits of `python` to edits of the file.

        Args:
            edits: Edits without overlaps, in offsets of `python`. All that are applied together belong in one call: the
                removal of a list's last line depends on the line before it.

        Returns:
            As many edits, in the same order, in offsets of the file, without overlaps.

        Raises:
            UnplaceableEdit: An edit crosses the end of a cell or a block, or touches a magic, other than by its own
                `removal`.
        """

    @abstractmethod
    def locate(self, offset: int) -> tuple[int, int, int | None]:
        """Returns the place of an offset of `python`, for people.

        Returns:
            (line, column, cell): line and column from 1, the column in characters; the number of the code cell, from 1,
            in which the line is counted, or None if it is counted in the file.
        """


class Lines:
    """The lines and columns of a text.

    Args:
        text: The text's bytes.
        encoding: Their encoding. Bytes that can't be decoded count as one column each.
    """

    def __init__(self, text: bytes, encoding: str = "utf-8") -> None:
        self._text = text
        self._encoding = encoding

    @cached_property
    def _with_line_feeds(self) -> bytes:
        """Returns the bytes with a line feed for each line end, if some are carriage returns alone."""
        if b"\r" not in self._text:
            return self._text
        return re.sub(rb"\r(?!\n)", b"\n", self._text)

    def find(self, offset: int) -> tuple[int, int]:
        """Returns the line and the column of an offset, both from 1."""
        text = self._with_line_feeds
        start = text.rfind(b"\n", 0, offset) + 1
        if not start and text.startswith(b"\xef\xbb\xbf"):
            start = min(3, offset)
        line, before = text.count(b"\n", 0, offset) + 1, text[start:offset]
        try:
            return line, len(before.decode(self._encoding)) + 1
        except (UnicodeDecodeError, LookupError):
            return line, len(before.decode("latin-1")) + 1
