"""Where the values of a JSON text stand in its bytes, and which byte of a string is which of its characters.

Python's json module says what a text holds and not where. This reads a text that the json module has accepted, so it
needn't look for mistakes, and passes over what nobody asks for at the speed of a regular expression.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Iterator

_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\]}]+")
# Everything up to the next bracket that isn't in a string, and the bracket.
_TO_BRACKET = re.compile(rb'[^"\[\]{}]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^"\[\]{}]*)*[\[\]{}]', re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Cursor:
    """A place in a JSON text that moves on as values are read.

    Args:
        source: Valid JSON in UTF-8.
        at: Where a value begins, after any white space.
    """

    def __init__(self, source: bytes, at: int = 0) -> None:
        self._source = source
        self.at = at
        self._pass_space()

    def _pass_space(self) -> None:
        found = _SPACE.match(self._source, self.at)
        assert found is not None
        self.at = found.end()

    def members(self) -> Iterator[str]:
        """The keys of the object that begins here. Before the next is asked for, the value has to be read or passed.

        What is no object is passed over, as if it had none.
        """
        for _ in self._items(b"{"):
            start, end = self.skip()
            self._pass_space()
            self.at += 1  # the colon
            self._pass_space()
            yield decoded(self._source[start + 1 : end - 1])

    def elements(self) -> Iterator[int]:
        """Where each element of the array that begins here begins. Each has to be read or passed, as in `members`."""
        yield from self._items(b"[")

    def _items(self, bracket: bytes) -> Iterator[int]:
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
        """Passes over the value that begins here; returns where it begins and ends."""
        start, source = self.at, self._source
        if source[start] in b"[{":
            depth = 0
            while True:
                found = _TO_BRACKET.match(source, self.at)
                assert found is not None
                self.at = found.end()
                depth += 1 if source[self.at - 1] in b"[{" else -1
                if not depth:
                    return start, self.at
        found = (_STRING if source[start] == b'"'[0] else _SCALAR).match(source, start)
        assert found is not None
        self.at = found.end()
        return start, self.at


def decoded(content: bytes) -> str:
    """What stands between the quotes of a JSON string."""
    text = content.decode()
    return str(json.loads('"' + text + '"')) if "\\" in text else text


def utf8(text: str) -> bytes:
    """A string's UTF-8, with U+FFFD, as long, for half a surrogate pair."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text).encode()


def escape(text: bytes, ascii_only: bool = False) -> bytes:
    r"""UTF-8 as it stands between the quotes of a JSON string.

    Args:
        text: The bytes.
        ascii_only: Whether letters beyond ASCII are written as `\\uXXXX`.
    """
    return json.dumps(text.decode("utf-8", "replace"), ensure_ascii=ascii_only)[1:-1].encode()


class StringMap:
    """Which byte of a JSON string is which of its text.

    Args:
        source: The JSON text.
        start: Where the string begins, its quote included.
        end: Where it ends, its quote included.
    """

    def __init__(self, source: bytes, start: int, end: int) -> None:
        # Where runs of bytes that stand for themselves begin in the text, and in the source; and the escapes.
        self._texts, self._raws = [0], [start + 1]
        self._escapes: set[int] = set()
        for found in _ESCAPE.finditer(source, start + 1, end - 1):
            text = self._texts[-1] + found.start() - self._raws[-1]
            self._escapes.add(text)
            self._texts += text, text + _length(found.group())
            self._raws += found.start(), found.end()
        self._end = end - 1
        self.length = self._texts[-1] + self._end - self._raws[-1]

    def raw(self, offset: int) -> int | None:
        """Where an offset of the text, in UTF-8, is in the JSON text; None within an escape."""
        if offset == self.length:
            return self._end
        run = bisect_right(self._texts, offset) - 1
        into = offset - self._texts[run]
        return None if into and self._texts[run] in self._escapes else self._raws[run] + into


def _length(escaped: bytes) -> int:
    r"""How many bytes of UTF-8 an escape such as `\n`, `\u00e9` or a pair of surrogates stands for."""
    if escaped[1:2] != b"u":
        return 1
    if len(escaped) > 6:
        return 4
    code = int(escaped[2:], 16)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3
