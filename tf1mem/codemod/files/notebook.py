"""The Python in a notebook's code cells, and the way back into the notebook's bytes."""

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
# What of the metadata says Python 2, and what is written for its group; Jupyter fills in the version when it runs.
_SAYS_PYTHON_2 = {
    "kernelspec.name": (re.compile(rb'"python(2)"'), b"3"),
    "kernelspec.display_name": (re.compile(rb'"Python (2(?:\.\d+)*)\b'), b"3"),
    "language_info.version": (re.compile(rb'"(2\.[\d.]*)'), b"3.0"),
}

_Span = Tuple[int, int]


class Notebook(FragmentedFile):
    """A notebook of nbformat 3 or 4.

    Args:
        source: Its bytes.

    Raises:
        NotANotebook: It isn't valid JSON in UTF-8, isn't a notebook, or is of another nbformat.
    """

    def __init__(self, source: bytes) -> None:
        self._source = source
        notebook = read(source)
        self._says_python = says_python(notebook)
        self._cells = dict(_code_cells(source, notebook))
        # What stands between two lines of a cell that doesn't show it: as in the first that does.
        separators = (cell.separator for cell in self._cells.values())
        self._separator = next(filter(None, separators), b", ")
        fragments = (_fragment(cell, number) for number, cell in self._cells.items())
        super().__init__("notebook", [fragment for fragment in fragments if fragment.map.python])

    @cached_property
    def is_python2(self) -> bool:
        """See `Extract.is_python2`."""
        return is_python2(TEXT, self._says_python, [self.python[start:end] for start, end in sorted(self.cells)])

    def says_python3(self) -> list[Edit]:
        """See `Extract.says_python3`."""
        edits = []
        for name, (start, end) in _said(self._source):
            pattern, instead = _SAYS_PYTHON_2.get(name, (None, b""))
            found = pattern and pattern.match(self._source, start, end)
            if found:
                edits.append(Edit(*found.span(1), instead))
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
    """A cell without the indentation of its first line, as IPython takes it."""
    text = cell.text
    found = _INDENTED_CELL.match(text)
    if found is None:
        whole = [Segment(0, len(text), 0, len(text), 0)] if text else []
        return Fragment(mapped(whole, text, None), Lines(text), number)
    indentation = found.group(1)
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
    """The code cells of a notebook that have a source, with their numbers."""
    key = source_key(notebook)
    for found, spans in zip(cells(notebook), _cell_spans(source, notebook["nbformat"])):
        if found is not None:
            code = _code_cell(source, found.source, spans[key])
            if code is not None:
                yield found.number, code


def _said(source: bytes) -> Iterator[tuple[str, _Span]]:
    """Where each value stands that a notebook's metadata has of its language, and of its kernel."""
    cursor = _begun(source)
    for _ in _members(cursor, "metadata"):
        for part in _members(cursor, "kernelspec", "language_info"):
            for name in cursor.members():
                yield f"{part}.{name}", cursor.skip()


def _members(cursor: Cursor, *wanted: str) -> Iterator[str]:
    """The keys of an object that are wanted; the others' values are passed over."""
    for key in cursor.members():
        if key in wanted:
            yield key
        else:
            cursor.skip()


def _begun(source: bytes) -> Cursor:
    return Cursor(source, len(_BOM) if source.startswith(_BOM) else 0)


def _cell_spans(source: bytes, version: int) -> list[dict[str, _Span]]:
    """Where the members of each cell begin and end, in the order of `cells`."""
    return _spans_below(_begun(source), version == 3)


def _spans_below(cursor: Cursor, in_worksheets: bool) -> list[dict[str, _Span]]:
    """The same of the object that begins at a cursor: a notebook, or a worksheet of nbformat 3."""
    found: list[dict[str, _Span]] = []
    for key in cursor.members():
        # A key that comes twice counts as it comes last, as in the json module.
        if in_worksheets and key == "worksheets":
            found = [span for _ in cursor.elements() for span in _spans_below(cursor, False)]
        elif not in_worksheets and key == "cells":
            found = [{name: cursor.skip() for name in cursor.members()} for _ in cursor.elements()]
        else:
            cursor.skip()
    return found


def _code_cell(source: bytes, value: Any, span: _Span) -> CodeCell | None:
    """A code cell, given its source and where that stands; None if it isn't one that nbformat knows."""
    if isinstance(value, str):
        texts, strings, array = [value], [span], None
    elif isinstance(value, list) and all(isinstance(text, str) for text in value):
        cursor = Cursor(source, span[0])
        texts, strings, array = value, [cursor.skip() for _ in cursor.elements()], span
    else:
        return None
    said = [decoded(source[start + 1 : end - 1]) for start, end in strings]
    if said != texts:
        raise not_a_notebook("can't be read as JSON: a cell's source isn't where it should be")
    return CodeCell(source, strings, [utf8(text) for text in texts], array)
