"""The Python in a notebook's code cells, and the way back into the notebook's bytes.

nbformat 4 keeps a cell's `source`, nbformat 3 its `input` (in `worksheets`), each as one string or as a list of lines:
https://nbformat.readthedocs.io/en/latest/format_description.html.
"""

from __future__ import annotations

import json
import re
from functools import cached_property, partial
from typing import Any, Iterator, Tuple

from tf1mem.codemod.files.cells import CodeCell
from tf1mem.codemod.files.extracts import Lines, NotANotebook
from tf1mem.codemod.files.fragments import Fragment, FragmentedFile, mapped
from tf1mem.codemod.files.json_spans import Cursor, decoded, utf8
from tf1mem.codemod.files.source_map import CodeLine, Segment, segments_of
from tf1mem.codemod.results import Edit

_BOM = b"\xef\xbb\xbf"
_ESCAPED_LETTER = re.compile(rb"\\u(?:00[89a-fA-F]|0[1-9a-fA-F]|[1-9a-fA-F])")
# Kernels that say no language, and aren't Python's.
_OTHER_KERNELS = re.compile(r"ir\b|julia|swift|scala|bash|sos|javascript|octave", re.IGNORECASE)
_PYTHON_LANGUAGES = ("python", "spark", "sage", "cython")
_INDENTED_CELL = re.compile(rb"(?:[ \t]*\r?\n)*([ \t]+)(?=[^\s])")

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
        self._cells = dict(_code_cells(source))
        # What stands between two lines of a cell that doesn't show it: as in the first that does.
        separators = (cell.separator for cell in self._cells.values())
        self._separator = next(filter(None, separators), b", ")
        fragments = (_fragment(cell, number) for number, cell in self._cells.items())
        super().__init__("notebook", [fragment for fragment in fragments if fragment.map.python])

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


def _code_cells(source: bytes) -> Iterator[tuple[int, CodeCell]]:
    """The code cells of a notebook that have a source, with their numbers."""
    notebook = _read(source)
    key = "source" if notebook["nbformat"] == 4 else "input"
    if not _is_python(notebook):
        return
    number = 0
    for cell, spans in zip(_cells(notebook), _cell_spans(source, notebook["nbformat"])):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        number += 1
        if key in cell and str(cell.get("language", "python")).lower().startswith("python"):
            code = _code_cell(source, cell[key], spans[key])
            if code is not None:
                yield number, code


def _read(source: bytes) -> dict[str, Any]:
    try:
        notebook = json.loads(source.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise _not_a_notebook("isn't UTF-8") from None
    except json.JSONDecodeError as error:
        raise _not_a_notebook(f"isn't valid JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise _not_a_notebook(f"can't be read as JSON: {error}") from None
    version = notebook.get("nbformat") if isinstance(notebook, dict) else None
    if version is None:
        raise _not_a_notebook("isn't a notebook: it has no nbformat")
    if version not in (3, 4) or isinstance(version, bool):
        raise _not_a_notebook(f"is of nbformat {version!r}; 3 and 4 are read")
    key = "cells" if version == 4 else "worksheets"
    if not isinstance(notebook.get(key), list):
        raise _not_a_notebook(f"isn't a notebook: it has no list of {key}")
    return dict(notebook)


def _not_a_notebook(wrong: str) -> NotANotebook:
    return NotANotebook("the notebook", wrong, "Open it in Jupyter and save it again, or leave it out")


def _is_python(notebook: dict[str, Any]) -> bool:
    metadata = notebook.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    language, kernel = (
        value if isinstance(value, dict) else {} for value in map(metadata.get, ("language_info", "kernelspec"))
    )
    said = language.get("name") or kernel.get("language")
    if isinstance(said, str):
        return any(word in said.lower() for word in _PYTHON_LANGUAGES)
    return _OTHER_KERNELS.match(str(kernel.get("name", ""))) is None


def _cells(notebook: dict[str, Any]) -> Iterator[Any]:
    if notebook["nbformat"] == 4:
        yield from notebook["cells"]
        return
    for worksheet in notebook["worksheets"]:
        if isinstance(worksheet, dict) and isinstance(worksheet.get("cells"), list):
            yield from worksheet["cells"]


def _cell_spans(source: bytes, version: int) -> list[dict[str, _Span]]:
    """Where the members of each cell begin and end, in the order of `_cells`."""
    return _spans_below(Cursor(source, len(_BOM) if source.startswith(_BOM) else 0), version == 3)


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
        raise _not_a_notebook("can't be read as JSON: a cell's source isn't where it should be")
    return CodeCell(source, strings, [utf8(text) for text in texts], array)
