"""The Python in a file, as one module, and the way back into the file.

A rule reads and edits plain Python. Where a file holds Python among other things (a notebook, a Markdown or
reStructuredText document), an `Extract` gives the one module that the rules see, and turns edits of that module into
edits of the file.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from functools import cached_property
from typing import NamedTuple, Sequence

from tf1mem.codemod.results import Edit
from tf1mem.errors import Tf1memError


class UnplaceableEdit(Tf1memError, ValueError):  # noqa: N818 - it states what the edit is
    """An edit of the Python that has no place in the file: it crosses a cell's end, or touches a magic."""


def unplaceable(why: str) -> UnplaceableEdit:
    """The error for an edit that has no place, and why."""
    return UnplaceableEdit("the edit", why, "Make it by hand")


class Magic(NamedTuple):
    """A line of a notebook that IPython takes itself: `%tensorflow_version 1.x`, `!pip install …`.

    Attributes:
        start: Where it begins: an offset in the file.
        end: Where its line ends, its line end included.
        text: The magic without its indentation and its line end: "%tensorflow_version 1.x".
        offset: Where what stands for it begins in `Extract.python`.
        removal: The edit of `Extract.python` that takes its line away; where it is all that a block holds, `pass`
            stays. It goes through `Extract.place` together with all others.
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
        python: All of it as one module: a notebook's in UTF-8, else in the file's own encoding.
        cells: Where each cell, or each block of a document, begins and ends in `python`. They are in the file's order,
            only that those which leave a bracket or a string open come last, so that they can't swallow others.
        magics: The lines that IPython takes itself, in order. In `python` a comment or `pass` stands for them.
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
        """Whether all of a notebook is Python 2, whatever Python 3 compiles of it: as `tf1mem run` takes it."""
        return False

    def says_python3(self) -> list[Edit]:
        """The edits of the file by which a notebook says that it is Python 3, and no longer Python 2, in order."""
        return []

    @abstractmethod
    def place(self, edits: Sequence[Edit]) -> list[Edit]:
        """Edits of `python` as edits of the file.

        Args:
            edits: Edits that don't overlap, offsets in `python`. All that will be applied together belong in one
                call: whether a list's last line goes depends on whether the one before it stays.

        Returns:
            As many edits, in the same order, offsets in the file. They don't overlap either.

        Raises:
            UnplaceableEdit: One of them crosses the end of a cell or a block, or touches a magic, other than by its
                own `removal`.
        """

    @abstractmethod
    def locate(self, offset: int) -> tuple[int, int, int | None]:
        """Where a person finds an offset of `python`.

        Returns:
            The line and the column, both from 1, the column in characters; and the code cell, from 1, in which the
            line is counted, or None where it is counted in the file.
        """


class Lines:
    """Lines and columns of a text.

    Args:
        text: The bytes.
        encoding: What they are in. What can't be decoded counts as one column for each byte.
    """

    def __init__(self, text: bytes, encoding: str = "utf-8") -> None:
        self._text = text
        self._encoding = encoding

    @cached_property
    def _with_line_feeds(self) -> bytes:
        """The bytes with a line feed for each line end, where some are carriage returns alone."""
        if b"\r" not in self._text:
            return self._text
        return re.sub(rb"\r(?!\n)", b"\n", self._text)

    def find(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset, both from 1."""
        text = self._with_line_feeds
        start = text.rfind(b"\n", 0, offset) + 1
        if not start and text.startswith(b"\xef\xbb\xbf"):
            start = min(3, offset)
        line, before = text.count(b"\n", 0, offset) + 1, text[start:offset]
        try:
            return line, len(before.decode(self._encoding)) + 1
        except (UnicodeDecodeError, LookupError):
            return line, len(before.decode("latin-1")) + 1
