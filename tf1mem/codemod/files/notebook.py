"""Extracts the Python of a notebook's code cells, and maps edits back."""

from __future__ import annotations

import re
from functools import cached_property, partial
from typing import Any, Iterator, Tuple

from tf1mem.codemod.files.cells import CodeCell
from tf1mem.codemod.files.extracts import Lines
from tf1mem.codemod.files.fragments import Fragment, FragmentedFile, mapped
from tf1mem.codemod.files.json_spans import Cursor, decoded, utf8
from tf1mem.codemod.files.source_map import CodeLine, Segment, segments_of
from tf1mem.codemod.results import Edit
from tf1mem.era.python2 import TEXT
from tf1mem.era.python2.cells import is_python2
from tf1mem.notebooks.reading import cells, not_a_notebook, read, says_python, source_key

_BOM = b"\xef\xbb\xbf"
_ESCAPED_LETTER = re.compile(rb"\\u(?:00[89a-fA-F]|0[1-9a-fA-F]|[1-9a-fA-F])")
_INDENTED_CELL = re.compile(rb"(?:[ \t]*\r?\n)*([ \t]+)(?=[^\s])")
# Metadata that names Python 2 -> replacement of its group; Jupyter writes the exact version when it runs.
_SAYS_PYTHON_2 = {
    "kernelspec.name": (re.compile(rb'"python(2)"'), b"3"),
    "kernelspec.display_name": (re.compile(rb'"Python (2(?:\.\d+)*)\b'), b"3"),
    "language_info.version": (re.compile(rb'"(2\.[\d.]*)'), b"3.0"),
}

_Span = Tuple[int, int]


class Notebook(FragmentedFile):
    """A notebook of nbformat 3 or 4.

    Args:
        source: The notebook's bytes.

    Raises:
        NotANotebook: It is invalid JSON or UTF-8, is no notebook, or has another nbformat.
    """

    def __init__(self, source: bytes) -> None:
        self._source = source
        notebook = read(source)
        self._says_python = says_python(notebook)
        self._cells = dict(_code_cells(source, notebook))
        # Cells of a single line show no separator; they get the separator of the first cell that shows one.
        separators = (cell.separator for cell in self._cells.values())
        self._separator = next(filter(None, separators), b", ")
        fragments = (_fragment(cell, number) for number, cell in self._cells.items())
        super().__init__("notebook", [fragment for fragment in fragments if fragment.map.python])

    @cached_property
    def is_python2(self) -> bool:
        """See `Extract.is_python2`."""
        return is_python2(TEXT, self._says_python, [self.python[start:end] for start, end in sorted(self.cells)])

    def python3_metadata_edits(self) -> list[Edit]:
        """See `Extract.python3_metadata_edits`."""
        edits = []
        for name, (start, end) in _language_spans(self._source):
            pattern, instead = _SAYS_PYTHON_2.get(name, (None, b""))
            match = pattern and pattern.match(self._source, start, end)
            if match:
                edits.append(Edit(*match.span(1), instead))
        return edits

    @cached_property
    def _ascii_only(self) -> bool:
        return self._source.isascii() and _ESCAPED_LETTER.search(self._source) is not None

    def _cell(self, fragment: Fragment) -> CodeCell:
        assert fragment.number is not None
        return self._cells[fragment.number]

    def _span(self, fragment: Fragment, segment: Segment) -> tuple[int, int]:
        return self._cell(fragment).raw_span(segment.at, segment.until)

    def _in_file(self, fragment: Fragment, edits: list[Edit]) -> list[Edit]:
        cell = self._cell(fragment)
        return cell.place(edits, cell.separator or self._separator, self._ascii_only)


def _fragment(cell: CodeCell, number: int) -> Fragment:
    """Returns a cell without the indentation of its first line, as IPython does."""
    text = cell.text
    indentation_match = _INDENTED_CELL.match(text)
    if indentation_match is None:
        whole = [Segment(0, len(text), 0, len(text), 0)] if text else []
        return Fragment(mapped(whole, text, None), Lines(text), number)
    indentation = indentation_match.group(1)
    lines = []
    start = 0
    for line in text.splitlines(keepends=True):
        at = start + (len(indentation) if line.startswith(indentation) else 0)
        lines.append(CodeLine(start, at, start + len(line)))
        start += len(line)
    return Fragment(mapped(*segments_of(text, lines), partial(_indented, indentation)), Lines(text), number)


def _indented(indentation: bytes, line: bytes) -> bytes:
    return indentation if line.strip() else b""


def _code_cells(source: bytes, notebook: dict[str, Any]) -> Iterator[tuple[int, CodeCell]]:
    """Yields the numbers and sources of a notebook's code cells that have a source."""
    key = source_key(notebook)
    for cell, spans in zip(cells(notebook), _cell_spans(source, notebook["nbformat"])):
        if cell is not None:
            code = _code_cell(source, cell.source, spans[key])
            if code is not None:
                yield cell.number, code


def _language_spans(source: bytes) -> Iterator[tuple[str, _Span]]:
    """Yields the offsets of the values in a notebook's metadata about its language and its kernel."""
    cursor = _begun(source)
    for _ in _members(cursor, "metadata"):
        for part in _members(cursor, "kernelspec", "language_info"):
            for name in cursor.members():
                yield f"{part}.{name}", cursor.skip()


def _members(cursor: Cursor, *names: str) -> Iterator[str]:
    """Yields those of the named keys that an object has; the values of other keys are skipped."""
    for key in cursor.members():
        if key in names:
            yield key
        else:
            cursor.skip()


def _begun(source: bytes) -> Cursor:
    return Cursor(source, len(_BOM) if source.startswith(_BOM) else 0)


def _cell_spans(source: bytes, version: int) -> list[dict[str, _Span]]:
    """Returns the offsets of each cell's members, in the order of `cells`."""
    return _spans_below(_begun(source), version == 3)


def _spans_below(cursor: Cursor, in_worksheets: bool) -> list[dict[str, _Span]]:
    """Returns the cells' offsets for the object at a cursor: a notebook, or a worksheet of nbformat 3."""
    spans: list[dict[str, _Span]] = []
    for key in cursor.members():
        # If a key is repeated, the last one counts, as in the json module.
        if in_worksheets and key == "worksheets":
            spans = [span for _ in cursor.elements() for span in _spans_below(cursor, False)]
        elif not in_worksheets and key == "cells":
            spans = [{name: cursor.skip() for name in cursor.members()} for _ in cursor.elements()]
        else:
            cursor.skip()
    return spans


def _code_cell(source: bytes, value: Any, span: _Span) -> CodeCell | None:
    """Returns a code cell from its source and the source's span; None if nbformat doesn't allow that source."""
    if isinstance(value, str):
        texts, strings, array = [value], [span], None
    elif isinstance(value, list) and all(isinstance(text, str) for text in value):
        cursor = Cursor(source, span[0])
        texts, strings, array = value, [cursor.skip() for _ in cursor.elements()], span
    else:
        return None
    contents = [decoded(source[start + 1 : end - 1]) for start, end in strings]
    if contents != texts:
        raise not_a_notebook("can't be read as JSON: a cell's source isn't where it should be")
    return CodeCell(source, strings, [utf8(text) for text in texts], array)
