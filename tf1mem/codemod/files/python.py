"""The extract of a Python file: all of its bytes."""

from __future__ import annotations

import io
import tokenize
from functools import cached_property
from typing import Sequence

from tf1mem.codemod.files.extracts import Extract, Lines
from tf1mem.codemod.results import Edit


class PythonFile(Extract):
    """The extract of a Python file: all of its bytes.

    Args:
        source: The file's bytes.
    """

    def __init__(self, source: bytes) -> None:
        super().__init__("python", source, [(0, len(source))])

    @cached_property
    def _lines(self) -> Lines:
        try:
            encoding = tokenize.detect_encoding(io.BytesIO(self.python).readline)[0]
        except SyntaxError:
            encoding = "utf-8"
        return Lines(self.python, encoding)

    def place(self, edits: Sequence[Edit]) -> list[Edit]:
        """See `Extract.place`: the edits are already those of the file."""
        return list(edits)

    def locate(self, offset: int) -> tuple[int, int, int | None]:
        """See `Extract.locate`."""
        return (*self._lines.find(offset), None)
