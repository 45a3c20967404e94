"""Extracts the Python of a notebook's code cells, and maps edits back."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Iterator

from tf1mem.codemod.files.cells import CodeCell
from tf1mem.codemod.files.extracts import Lines
from tf1mem.codemod.files.fragments import Fragment, FragmentedFile
from tf1mem.codemod.files.json_spans import cell_sources, language_spans
from tf1mem.codemod.files.source_map import Segment
from tf1mem.codemod.results import Edit
from tf1mem.era.python2 import STRING_FILENAME
from tf1mem.era.python2.notebook_cells import is_python2
from tf1mem.notebooks.reading import Contents, not_a_notebook, read, source_key

# An escape of a character beyond ASCII.
_ESCAPED_LETTER = re.compile(rb"\\u(?:00[89a-fA-F]|0[1-9a-fA-F]|[1-9a-fA-F])")
# Metadata that names Python 2 -> replacement of its group; Jupyter writes the exact version when it runs.
_SAYS_PYTHON_2 = {
    "kernelspec.name": (re.compile(rb'"python(2)"'), b"3"),
    "kernelspec.display_name": (re.compile(rb'"Python (2(?:\.\d+)*)\b'), b"3"),
    "language_info.version": (re.compile(rb'"(2\.[\d.]*)'), b"3.0"),
}


class Notebook(FragmentedFile):
    """A notebook of nbformat 3 or 4.

    Args:
        source: The notebook's bytes.

    Raises:
        NotANotebook: It is invalid JSON or UTF-8, is no notebook, or has another nbformat.
    """

    def __init__(self, source: bytes) -> None:
        self._source = source
        contents = read(source)
        self._says_python = contents.says_python
        self._cells = dict(_code_cells(source, contents))
        # Cells of a single line show no separator; they get the separator of the first cell that shows one.
        separators = (cell.separator for cell in self._cells.values())
        self._separator = next(filter(None, separators), b", ")
        fragments = (Fragment(cell.code_map(), Lines(cell.text), number) for number, cell in self._cells.items())
        super().__init__("notebook", [fragment for fragment in fragments if fragment.map.python])

    @cached_property
    def is_python2(self) -> bool:
        """See `Extract.is_python2`."""
        return is_python2(
            STRING_FILENAME, self._says_python, [self.python[start:end] for start, end in sorted(self.cells)]
        )

    def python3_metadata_edits(self) -> list[Edit]:
        """See `Extract.python3_metadata_edits`."""
        edits = []
        for name, (start, end) in language_spans(self._source):
            pattern, instead = _SAYS_PYTHON_2.get(name, (None, b""))
            match = pattern and pattern.match(self._source, start, end)
            if match:
                edits.append(Edit(*match.span(1), instead))
        return edits

    @cached_property
    def _ascii_only(self) -> bool:
        """True if the notebook's JSON escapes each character beyond ASCII, so that new ones are escaped, too."""
        return self._source.isascii() and _ESCAPED_LETTER.search(self._source) is not None

    def _cell(self, fragment: Fragment) -> CodeCell:
        assert fragment.number is not None
        return self._cells[fragment.number]

    def _span(self, fragment: Fragment, segment: Segment) -> tuple[int, int]:
        return self._cell(fragment).raw_span(segment.at, segment.until)

    def _in_file(self, fragment: Fragment, edits: list[Edit]) -> list[Edit]:
        cell = self._cell(fragment)
        return cell.place(edits, cell.separator or self._separator, self._ascii_only)


def _code_cells(source: bytes, contents: Contents) -> Iterator[tuple[int, CodeCell]]:
    """Yields the number and the source of each code cell whose source has a type that nbformat allows."""
    literals = cell_sources(source, contents.version, source_key(contents.version))
    for cell, literal in zip(contents.cells, literals):
        if cell is not None and cell.texts is not None:
            if literal is None or literal.texts != cell.texts:
                raise not_a_notebook("can't be read as JSON: a cell's source isn't where it should be")
            yield cell.number, CodeCell(source, literal)
