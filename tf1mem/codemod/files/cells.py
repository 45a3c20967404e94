"""The source of a code cell: its text, and the notebook's strings that hold it.

Only bytes of these strings are changed. A list that gains or loses lines keeps Jupyter's form: one string for each
line, line end included.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import partial
from itertools import accumulate
from typing import Callable, Sequence

from tf1mem.codemod.files.extracts import unplaceable
from tf1mem.codemod.files.json_spans import Literal, StringMap, escape, utf8
from tf1mem.codemod.files.source_map import CodeLine, SourceMap, code_map
from tf1mem.codemod.results import Edit

# Blank lines, and the indentation of the first line with code.
_INDENTED = re.compile(rb"(?:[ \t]*\r?\n)*([ \t]+)(?=[^\s])")


class CodeCell:
    """The source of a code cell: its text, and its place in the notebook.

    Args:
        source: The notebook's bytes.
        literal: The cell's source in the notebook.
    """

    def __init__(self, source: bytes, literal: Literal) -> None:
        self._source = source
        self._strings = literal.strings
        self._texts = texts = [utf8(text) for text in literal.texts]
        self._array = literal.array
        self._maps: dict[int, StringMap] = {}
        self._starts = [0, *accumulate(len(text) for text in texts)]
        self.text = b"".join(texts)

    def code_map(self) -> SourceMap:
        """Returns the cell's Python without the indentation of its first line, as IPython does."""
        indentation_match = _INDENTED.match(self.text)
        if indentation_match is None:
            return code_map(self.text, [CodeLine(0, 0, len(self.text))], None)
        indentation = indentation_match.group(1)
        lines = []
        start = 0
        for line in self.text.splitlines(keepends=True):
            at = start + (len(indentation) if line.startswith(indentation) else 0)
            lines.append(CodeLine(start, at, start + len(line)))
            start += len(line)
        return code_map(self.text, lines, partial(_indented, indentation))

    @property
    def separator(self) -> bytes | None:
        """The bytes between two lines; None if the cell shows none."""
        if self._array is None or not self._strings:
            return None
        if len(self._strings) > 1:
            return self._source[self._strings[0][1] : self._strings[1][0]]
        space = self._source[self._array[0] + 1 : self._strings[0][0]]
        return b"," + space if space else None

    def place(self, edits: Sequence[Edit], separator: bytes, ascii_only: bool) -> list[Edit]:
        """Converts edits of the text to edits of the notebook.

        Args:
            edits: Edits of the text that don't overlap.
            separator: Bytes to put between two lines.
            ascii_only: True to escape characters beyond ASCII.

        Raises:
            UnplaceableEdit: An edit begins or ends within a character.
        """
        own_line_ends = _line_ends(self.text)
        edits = [Edit(edit.start, edit.end, own_line_ends(edit.text)) for edit in edits]
        if self._array is None:
            return [
                Edit(self._raw(0, edit.start), self._raw(0, edit.end), escape(edit.text, ascii_only)) for edit in edits
            ]
        removed = self._removed(edits)
        removed_items = {index for items in removed if items is not None for index in items}
        return [
            self._in_list(edit, separator, ascii_only, removed_items)
            if items is None
            else self._without(items, removed_items)
            for edit, items in zip(edits, removed)
        ]

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Returns the offsets in the notebook of a span of the text; the span isn't empty."""
        return self._raw(self._item(start), start), self._raw(self._item(end - 1), end)

    def _item(self, offset: int) -> int:
        """Returns the index of the string that holds a byte of the text; at the text's end, the last one."""
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
        """Returns, for each edit, the indices of the strings that it removes whole, or None."""
        removed: list[range | None] = []
        for edit in edits:
            items = None
            if edit.start < edit.end and not edit.text:
                first, last = self._item(edit.start), self._item(edit.end - 1)
                whole = edit.start == self._starts[first] and edit.end == self._starts[last + 1]
                if whole and not any(self._meets(edit, other) for other in edits if other is not edit):
                    items = range(first, last + 1)
            removed.append(items)
        return removed

    def _meets(self, edit: Edit, other: Edit) -> bool:
        """Returns True if another edit inserts where this one removes."""
        at_the_end = edit.end == len(self.text) == other.start
        return other.start == other.end and (edit.start <= other.start < edit.end or at_the_end)

    def _without(self, items: range, removed_items: set[int]) -> Edit:
        """Returns an edit that removes strings from the list, each with a comma."""
        assert self._array is not None
        first, last = items[0], items[-1]
        below = range(last + 1, len(self._strings))
        nothing_above = removed_items.issuperset(range(first))
        if removed_items.issuperset(below) and not nothing_above:
            return Edit(self._strings[first - 1][1], self._strings[last][1], b"")
        start = self._strings[first][0] if first else self._array[0] + 1
        if below:
            return Edit(
                start if removed_items.issuperset(below) else self._strings[first][0], self._strings[last + 1][0], b""
            )
        return Edit(start, self._array[1] - 1, b"")

    def _in_list(self, edit: Edit, separator: bytes, ascii_only: bool, removed_items: set[int]) -> Edit:
        """Returns an edit's replacement in a source that is a list of strings, one for each line."""
        between = b'"' + separator + b'"'
        first = self._item(edit.start)
        last = self._item(edit.end - 1) if edit.end > edit.start else first
        start, end = self._raw(first, edit.start), self._raw(last, edit.end)
        before = self.text[self._starts[first] : edit.start]
        after = self.text[edit.end : self._starts[last + 1]]
        whole = before + edit.text + after
        below = last + 1
        line_end_gone = edit.end > edit.start and not after and not whole.endswith(b"\n")
        if (
            line_end_gone
            and self._texts[last].endswith(b"\n")
            and below < len(self._texts)
            and below not in removed_items
        ):
            # The line continues with the former next line.
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


def _indented(indentation: bytes, line: bytes) -> bytes:
    return indentation if line.strip() else b""


def _line_ends(text: bytes) -> Callable[[bytes], bytes]:
    """Returns a function that gives a text the cell's line ends, if these are all alike."""
    ends, long_ends = text.count(b"\n"), text.count(b"\r\n")
    if ends and ends == long_ends:
        return lambda new: new.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    if not long_ends:
        return lambda new: new.replace(b"\r\n", b"\n")
    return lambda new: new
