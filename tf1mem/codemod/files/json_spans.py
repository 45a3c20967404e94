"""Finds the offsets of a notebook's values in its JSON, and of a string's characters in its bytes.

Python's json module gives values without their offsets. This module reads a text that json has accepted, so it needn't
check it, and skips values that nobody needs at the speed of a regular expression.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Iterator, NamedTuple

_BOM = b"\xef\xbb\xbf"
_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\]}]+")
# The text up to the next bracket outside strings, and the bracket.
_TO_BRACKET = re.compile(rb'[^"\[\]{}]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^"\[\]{}]*)*[\[\]{}]', re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Cursor:
    """A position in a JSON text that advances as values are read.

    Args:
        source: Valid JSON, in UTF-8.
        at: Offset of a value, or of white space before it.
    """

    def __init__(self, source: bytes, at: int = 0) -> None:
        self._source = source
        self.at = at
        self._pass_space()

    def _pass_space(self) -> None:
        space = _SPACE.match(self._source, self.at)
        assert space is not None
        self.at = space.end()

    def members(self) -> Iterator[str]:
        """Yields the keys of the object at the cursor. The value of each must be read or skipped before the next key.

        A value of another type is skipped, like an object without keys.
        """
        for _ in self._items(b"{"):
            start, end = self.skip()
            self._pass_space()
            self.at += 1  # the colon
            self._pass_space()
            yield _decoded(self._source[start + 1 : end - 1])

    def elements(self) -> Iterator[int]:
        """Yields the offset of each element of the array at the cursor. Each must be read or skipped."""
        yield from self._items(b"[")

    def _items(self, bracket: bytes) -> Iterator[int]:
        """Yields the offset of each item of a list, or of each key of an object; skips any other value."""
        if not self._source.startswith(bracket, self.at):
            self.skip()
            return
        self.at += 1
        self._pass_space()
        while self._source[self.at] not in b"}]":
            yield self.at
            self._pass_space()
            if self._source[self.at] == b","[0]:
                self.at += 1
                self._pass_space()
        self.at += 1

    def skip(self) -> tuple[int, int]:
        """Skips the value at the cursor; returns the offsets at which it begins and ends."""
        start, source = self.at, self._source
        if source[start] in b"[{":
            depth = 0
            while True:
                match = _TO_BRACKET.match(source, self.at)
                assert match is not None
                self.at = match.end()
                depth += 1 if source[self.at - 1] in b"[{" else -1
                if not depth:
                    return start, self.at
        match = (_STRING if source[start] == b'"'[0] else _SCALAR).match(source, start)
        assert match is not None
        self.at = match.end()
        return start, self.at

    def literal(self) -> Literal | None:
        """Returns the string or the list of strings at the cursor, or skips a value of another type."""
        start = self.at
        is_array = self._source.startswith(b"[", start)
        strings = [self.skip() for _ in self.elements()] if is_array else [self.skip()]
        if not all(self._source.startswith(b'"', each) for each, _ in strings):
            return None
        texts = [_decoded(self._source[each + 1 : end - 1]) for each, end in strings]
        return Literal(strings, texts, (start, self.at) if is_array else None)


def _decoded(content: bytes) -> str:
    """Returns the content of a JSON string, given the bytes between its quotes."""
    text = content.decode()
    return str(json.loads('"' + text + '"')) if "\\" in text else text


def utf8(text: str) -> bytes:
    """Returns a string's UTF-8, with U+FFFD for half a surrogate pair."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text).encode()


def escape(text: bytes, ascii_only: bool = False) -> bytes:
    r"""Returns UTF-8 escaped for a JSON string, without quotes.

    Args:
        text: The UTF-8 bytes to escape.
        ascii_only: True to write characters beyond ASCII as `\\uXXXX`.
    """
    return json.dumps(text.decode("utf-8", "replace"), ensure_ascii=ascii_only)[1:-1].encode()


class StringMap:
    """The mapping from the text of a JSON string to its bytes.

    Args:
        source: The JSON text.
        start: Offset of the string's opening quote.
        end: Offset just after its closing quote.
    """

    def __init__(self, source: bytes, start: int, end: int) -> None:
        # The starts of unescaped runs in the text and in the source; and the starts of escapes.
        self._texts, self._raws = [0], [start + 1]
        self._escapes: set[int] = set()
        for escape_match in _ESCAPE.finditer(source, start + 1, end - 1):
            text = self._texts[-1] + escape_match.start() - self._raws[-1]
            self._escapes.add(text)
            self._texts += text, text + _length(escape_match.group())
            self._raws += escape_match.start(), escape_match.end()
        self._end = end - 1
        self.length = self._texts[-1] + self._end - self._raws[-1]

    def raw(self, offset: int) -> int | None:
        """Returns the offset in the JSON text for an offset of the string's UTF-8; None inside an escape."""
        if offset == self.length:
            return self._end
        run = bisect_right(self._texts, offset) - 1
        into = offset - self._texts[run]
        return None if into and self._texts[run] in self._escapes else self._raws[run] + into


def _length(escaped: bytes) -> int:
    r"""Returns the number of UTF-8 bytes of an escape such as `\n`, `\u00e9` or a pair of surrogates."""
    if escaped[1:2] != b"u":
        return 1
    if len(escaped) > 6:
        return 4
    code = int(escaped[2:], 16)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3


class Literal(NamedTuple):
    """A cell's source in the JSON: one string, or a list of strings.

    Attributes:
        strings: Offsets at which each string begins and ends, quotes included.
        texts: The content of each string.
        array: Offsets at which the list begins and ends, brackets included; None if the source is one string.
    """

    strings: list[tuple[int, int]]
    texts: list[str]
    array: tuple[int, int] | None


def cell_sources(source: bytes, version: int, key: str) -> list[Literal | None]:
    """Returns each cell's source, in the order of the notebook; None for a cell without one, or one of another type.

    Args:
        source: The notebook's bytes.
        version: The nbformat, 3 or 4.
        key: The key of a cell's source.
    """
    return _sources_below(_begun(source), version == 3, key)


def language_spans(source: bytes) -> Iterator[tuple[str, tuple[int, int]]]:
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


def _sources_below(cursor: Cursor, in_worksheets: bool, key: str) -> list[Literal | None]:
    """Returns the cells' sources for the object at a cursor: a notebook, or a worksheet of nbformat 3."""
    sources: list[Literal | None] = []
    # If a key is repeated, the last one counts, as in the json module.
    for _ in _members(cursor, "worksheets" if in_worksheets else "cells"):
        if in_worksheets:
            sources = [each for _ in cursor.elements() for each in _sources_below(cursor, False, key)]
        else:
            sources = [_source(cursor, key) for _ in cursor.elements()]
    return sources


def _source(cursor: Cursor, key: str) -> Literal | None:
    literal = None
    for _ in _members(cursor, key):
        literal = cursor.literal()
    return literal
