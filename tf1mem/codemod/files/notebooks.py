"""The Python in a notebook's code cells, and the way back into the notebook's bytes.

nbformat 4 keeps a cell's `source`, nbformat 3 its `input` (in `worksheets`), each as one string or as a list of lines:
https://nbformat.readthedocs.io/en/latest/format_description.html. Only bytes of such strings are ever changed, and
where a list gains or loses lines, it is as Jupyter writes it: one string for each line, its line end included.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, Callable, Iterator, NamedTuple, Sequence

from tf1mem.codemod.files import magics
from tf1mem.codemod.files.extracts import Extract, Lines, Magic, NotANotebook
from tf1mem.codemod.files.json_spans import Cursor, StringMap, decoded, escape, utf8
from tf1mem.codemod.files.stretches import Piece, Stretch, assemble, unplaceable
from tf1mem.codemod.files.unfinished import is_unfinished
from tf1mem.codemod.results import Edit

_BOM = b"\xef\xbb\xbf"
_ESCAPED_LETTER = re.compile(rb"\\u(?:00[89a-fA-F]|0[1-9a-fA-F]|[1-9a-fA-F])")
# Kernels that say no language, and aren't Python's.
_OTHER_KERNELS = re.compile(r"ir\b|julia|swift|scala|bash|sos|javascript|octave", re.IGNORECASE)
_PYTHON_LANGUAGES = ("python", "spark", "sage", "cython")


class CodeCell:
    """A code cell's source: its text, and where it stands in the notebook.

    Args:
        source: The notebook.
        strings: Where each string of the source begins and ends, quotes included.
        texts: What each of them says, in UTF-8.
        array: Where the list of strings begins and ends, brackets included; None if the source is one string.
    """

    def __init__(
        self, source: bytes, strings: Sequence[tuple[int, int]], texts: Sequence[bytes], array: tuple[int, int] | None
    ) -> None:
        self._source = source
        self._strings = strings
        self._texts = texts
        self._array = array
        self._maps: dict[int, StringMap] = {}
        self._starts = [0, *accumulate(len(text) for text in texts)]
        self.text = b"".join(texts)

    @property
    def separator(self) -> bytes | None:
        """What stands between two lines; None where that can't be seen."""
        if self._array is None or not self._strings:
            return None
        if len(self._strings) > 1:
            return self._source[self._strings[0][1] : self._strings[1][0]]
        space = self._source[self._array[0] + 1 : self._strings[0][0]]
        return b"," + space if space else None

    def place(self, edits: Sequence[Edit], separator: bytes, ascii_only: bool) -> list[Edit]:
        """Edits of the text as edits of the notebook.

        Args:
            edits: Edits of the text that don't overlap.
            separator: What to put between two lines.
            ascii_only: Whether letters beyond ASCII are escaped.

        Raises:
            UnplaceableEdit: One begins or ends within a character.
        """
        own_line_ends = _line_ends(self.text)
        edits = [Edit(edit.start, edit.end, own_line_ends(edit.text)) for edit in edits]
        if self._array is None:
            return [
                Edit(self._raw(0, edit.start), self._raw(0, edit.end), escape(edit.text, ascii_only)) for edit in edits
            ]
        removed = self._removed(edits)
        gone = {index for items in removed if items is not None for index in items}
        return [
            self._in_list(edit, separator, ascii_only, gone) if items is None else self._without(items, gone)
            for edit, items in zip(edits, removed)
        ]

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Where some of the text, which isn't empty, begins and ends in the notebook."""
        return self._raw(self._item(start), start), self._raw(self._item(end - 1), end)

    def _item(self, offset: int) -> int:
        """The string that holds a byte of the text; at the text's end the one that ends there."""
        return bisect_right(self._starts, min(offset, max(len(self.text) - 1, 0)), hi=len(self._texts)) - 1

    def _raw(self, item: int, offset: int) -> int:
        if offset < len(self.text) and self.text[offset] & 0xC0 == 0x80:
            raise unplaceable("begins or ends within a character")
        if item not in self._maps:
            self._maps[item] = StringMap(self._source, *self._strings[item])
        raw = self._maps[item].raw(offset - self._starts[item])
        if raw is None:
            raise unplaceable("begins or ends within a character")
        return raw

    def _removed(self, edits: Sequence[Edit]) -> list[range | None]:
        """For each edit the strings that nothing is left of, or None."""
        found: list[range | None] = []
        for edit in edits:
            items = None
            if edit.start < edit.end and not edit.text:
                first, last = self._item(edit.start), self._item(edit.end - 1)
                whole = edit.start == self._starts[first] and edit.end == self._starts[last + 1]
                if whole and not any(self._meets(edit, other) for other in edits if other is not edit):
                    items = range(first, last + 1)
            found.append(items)
        return found

    def _meets(self, edit: Edit, other: Edit) -> bool:
        """Whether another edit puts something where this one takes away."""
        at_the_end = edit.end == len(self.text) == other.start
        return other.start == other.end and (edit.start <= other.start < edit.end or at_the_end)

    def _without(self, items: range, gone: set[int]) -> Edit:
        """Strings taken out of the list: each takes a comma along."""
        assert self._array is not None
        first, last = items[0], items[-1]
        below = range(last + 1, len(self._strings))
        nothing_above = gone.issuperset(range(first))
        if gone.issuperset(below) and not nothing_above:
            return Edit(self._strings[first - 1][1], self._strings[last][1], b"")
        start = self._strings[first][0] if first else self._array[0] + 1
        if below:
            return Edit(start if gone.issuperset(below) else self._strings[first][0], self._strings[last + 1][0], b"")
        return Edit(start, self._array[1] - 1, b"")

    def _in_list(self, edit: Edit, separator: bytes, ascii_only: bool, gone: set[int]) -> Edit:
        between = b'"' + separator + b'"'
        first = self._item(edit.start)
        last = self._item(edit.end - 1) if edit.end > edit.start else first
        start, end = self._raw(first, edit.start), self._raw(last, edit.end)
        before = self.text[self._starts[first] : edit.start]
        after = self.text[edit.end : self._starts[last + 1]]
        whole = before + edit.text + after
        below = last + 1
        line_end_gone = edit.end > edit.start and not after and not whole.endswith(b"\n")
        if line_end_gone and self._texts[last].endswith(b"\n") and below < len(self._texts) and below not in gone:
            # The line goes on with what was the next one.
            end = self._strings[below][0] + 1
            after = self._texts[below]
        lines = edit.text.split(b"\n")
        chunks = [escape(line, ascii_only) for line in lines]
        text = (escape(b"\n") + between).join(chunks)
        if len(lines) > 1 and not lines[-1] and not after:
            text = text[: -len(between)]
        if edit.text and edit.start == len(self.text) and before.endswith(b"\n"):
            text = between + text
        return Edit(start, end, text)


class _Place(NamedTuple):
    stretch: Stretch
    cell: CodeCell
    number: int


class Notebook(Extract):
    """A notebook of nbformat 3 or 4.

    Args:
        source: Its bytes.

    Raises:
        NotANotebook: It isn't valid JSON in UTF-8, isn't a notebook, or is of another nbformat.
    """

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._places: list[_Place] = []
        self._lines: dict[int, Lines] = {}
        self._separator = b", "
        cells = [(number, cell, *_stretch(cell.text)) for number, cell in _code_cells(source)]
        for _, cell, _, _ in reversed(cells):
            self._separator = cell.separator or self._separator
        lines: list[Magic] = []
        start = 0
        for number, cell, stretch, found in sorted(cells, key=lambda each: is_unfinished(each[2].python)):
            if not stretch.python:
                continue
            place = _Place(stretch.moved(start), cell, number)
            self._places.append(place)
            start = place.stretch.end + 1
            for magic, piece in zip(found, place.stretch.magic_lines()):
                span = cell.raw_span(piece.at, piece.until)
                removal = place.stretch.removal(piece, magic.alone)
                lines.append(Magic(*span, magic.text.decode(), piece.start, removal))
        python = b"\n".join(place.stretch.python for place in self._places)
        spans = [(place.stretch.start, place.stretch.end) for place in self._places]
        super().__init__("notebook", python, spans, sorted(lines, key=lambda line: line.start))
        self._starts = [start for start, _ in spans]

    def place(self, edits: Sequence[Edit]) -> list[Edit]:
        """See `Extract.place`."""
        by_place: dict[int, list[int]] = {}
        for index, edit in enumerate(edits):
            by_place.setdefault(self._place_at(edit.start, edit.end), []).append(index)
        placed: dict[int, Edit] = {}
        for where, indices in by_place.items():
            stretch, cell, _ = self._places[where]
            for index, edit in zip(indices, self._in_cell(cell, [stretch.place(edits[index]) for index in indices])):
                placed[index] = edit
        return [placed[index] for index in range(len(edits))]

    def locate(self, offset: int) -> tuple[int, int, int | None]:
        """See `Extract.locate`."""
        if not self._places:
            return 1, 1, None
        place = self._places[max(bisect_right(self._starts, offset) - 1, 0)]
        return self._locate(place, place.stretch.text_offset(offset))

    def _in_cell(self, cell: CodeCell, edits: Sequence[Edit]) -> list[Edit]:
        return cell.place(edits, cell.separator or self._separator, self._ascii_only)

    @cached_property
    def _ascii_only(self) -> bool:
        return self._source.isascii() and _ESCAPED_LETTER.search(self._source) is not None

    def _place_at(self, start: int, end: int) -> int:
        where = bisect_right(self._starts, start) - 1
        if where < 0 or end > self._places[where].stretch.end or start > self._places[where].stretch.end:
            raise unplaceable("crosses the end of a cell")
        return where

    def _locate(self, place: _Place, offset: int) -> tuple[int, int, int | None]:
        if place.number not in self._lines:
            self._lines[place.number] = Lines(place.cell.text)
        return (*self._lines[place.number].find(offset), place.number)


def _stretch(text: bytes) -> tuple[Stretch, tuple[magics.Found, ...]]:
    """A cell's Python, empty if it holds none; and its magics."""
    base, python, indentation = _dedented(text)
    cell = magics.read(python)
    if cell is None:
        return Stretch(0, b"", []), ()
    seen, pieces = assemble(base, python, cell.stand_ins)
    return Stretch(0, seen, pieces, partial(_indented, indentation) if indentation else None), cell.magics


def _dedented(text: bytes) -> tuple[list[Piece], bytes, bytes]:
    """A cell without the indentation of its first line, as IPython takes it: pieces, Python, indentation."""
    found = re.match(rb"(?:[ \t]*\r?\n)*([ \t]+)(?=[^\s])", text)
    if found is None:
        return ([Piece(0, len(text), 0, len(text), 0)] if text else []), text, b""
    indentation = found.group(1)
    pieces: list[Piece] = []
    chunks: list[bytes] = []
    at = length = 0
    for line in text.splitlines(keepends=True):
        dropped = len(indentation) if line.startswith(indentation) else 0
        chunks.append(line[dropped:])
        end = length + len(line) - dropped
        if end > length:
            pieces.append(Piece(length, end, at + dropped, at + len(line), at))
        at, length = at + len(line), end
    return pieces, b"".join(chunks), indentation


def _indented(indentation: bytes, line: bytes) -> bytes:
    return indentation if line.strip() else b""


def _line_ends(text: bytes) -> Callable[[bytes], bytes]:
    """What gives a text the line ends of a cell, where all of the cell's are alike."""
    ends, long_ends = text.count(b"\n"), text.count(b"\r\n")
    if ends and ends == long_ends:
        return lambda new: new.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    if not long_ends:
        return lambda new: new.replace(b"\r\n", b"\n")
    return lambda new: new


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
    if not isinstance(notebook.get("cells" if version == 4 else "worksheets"), list):
        raise _not_a_notebook(
            "isn't a notebook: it has no list of {}".format("cells" if version == 4 else "worksheets")
        )
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


def _cell_spans(source: bytes, version: int) -> list[dict[str, tuple[int, int]]]:
    """Where the members of each cell begin and end, in the order of `_cells`."""
    cursor = Cursor(source, len(_BOM) if source.startswith(_BOM) else 0)
    found: list[dict[str, tuple[int, int]]] = []
    for key in cursor.members():
        # A key that comes twice counts as it comes last, as in the json module.
        if version == 4 and key == "cells":
            found = _spans_in_list(cursor)
        elif version == 3 and key == "worksheets":
            found = _spans_in_worksheets(cursor)
        else:
            cursor.skip()
    return found


def _spans_in_worksheets(cursor: Cursor) -> list[dict[str, tuple[int, int]]]:
    found: list[dict[str, tuple[int, int]]] = []
    if not cursor.begins(b"["):
        cursor.skip()
        return found
    for _ in cursor.elements():
        cells: list[dict[str, tuple[int, int]]] = []
        if not cursor.begins(b"{"):
            cursor.skip()
            continue
        for key in cursor.members():
            if key == "cells":
                cells = _spans_in_list(cursor)
            else:
                cursor.skip()
        found += cells
    return found


def _spans_in_list(cursor: Cursor) -> list[dict[str, tuple[int, int]]]:
    found: list[dict[str, tuple[int, int]]] = []
    if not cursor.begins(b"["):
        cursor.skip()
        return found
    for _ in cursor.elements():
        if cursor.begins(b"{"):
            found.append({key: cursor.skip() for key in cursor.members()})
        else:
            cursor.skip()
            found.append({})
    return found


def _code_cell(source: bytes, value: Any, span: tuple[int, int]) -> CodeCell | None:
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
