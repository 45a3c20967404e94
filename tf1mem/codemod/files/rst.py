"""Finds the Python code blocks of a reStructuredText document.

docutils parses these blocks but discards their positions, so they are found here by indentation:
https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#literal-blocks and #directives.
"""

from __future__ import annotations

import re
from typing import Iterator

from tf1mem.codemod.files.blocks import PYTHON_NAMES, Block, is_plainly_python, lines_of, text_of
from tf1mem.codemod.files.source_map import CodeLine

_DIRECTIVE = re.compile(rb"([ \t]*(?:[-*+][ \t]+|\d+\.[ \t]+)?)\.\.[ \t]+([\w:-]+?)[ \t]*::(?:[ \t]+(\S+))?")
# Directives: with code in the language that they name, with Python, and with a text that is no reST.
_CODE = frozenset((b"code-block", b"code", b"sourcecode"))
_PYTHON = frozenset((b"testcode", b"testsetup", b"testcleanup", b"doctest", b"ipython", b"jupyter-execute", b"plot"))
_OPAQUE = frozenset((b"raw", b"math", b"parsed-literal", b"productionlist", b"graphviz", b"csv-table"))
# A directive's option, such as ":linenos:"; and the marks of list items at the start of a line.
_OPTION = re.compile(rb"[ \t]*:[\w-]+:")
_ITEM = re.compile(rb"[ \t]*(?:(?:[-*+]|\(?(?:\d+|[A-Za-z]|#)[.)])[ \t]+)*")
_DOCTEST = re.compile(rb"[ \t]*>>>(?: |\r?\n|\Z)")
_TAB = 8


def blocks(source: bytes) -> Iterator[Block]:
    """Yields the blocks that are Python: by name, or, without one, if the code can only be Python.

    Args:
        source: The document's bytes.
    """
    return _Reader(source).read()


class _Reader:
    def __init__(self, source: bytes) -> None:
        self._source = source
        self._lines = lines_of(source)

    def read(self) -> Iterator[Block]:
        """Yields the blocks that are Python: of directives, after `::`, and doctests."""
        number = 0
        while number < len(self._lines):
            line = self._text(number)
            directive = _DIRECTIVE.match(line)
            if directive is not None:
                first, number = number, number + 1
                name, language = directive.group(2).split(b":")[-1].lower(), directive.group(3)
                if name not in _CODE | _PYTHON | _OPAQUE:
                    continue
                number, block = self._body(number, self._width(directive.group(1)), after_options=True)
                if block is not None and self._is_python(name, language, block):
                    yield block
                number = max(number, first + 1)
            elif line.rstrip().endswith(b"::"):
                item = _ITEM.match(line)
                number, block = self._body(number + 1, self._width(item.group() if item else b""))
                if block is not None and is_plainly_python(text_of(self._source, block)):
                    yield block
            elif _DOCTEST.match(line):
                number, block = self._session(number)
                yield block
            else:
                number += 1

    def _is_python(self, name: bytes, language: bytes | None, block: Block) -> bool:
        if name in _PYTHON:
            return True
        if name not in _CODE:
            return False
        if language is None:
            return is_plainly_python(text_of(self._source, block))
        return language.decode("ascii", "replace").lower() in PYTHON_NAMES

    def _text(self, number: int) -> bytes:
        start, end = self._lines[number]
        return self._source[start:end]

    def _width(self, start: bytes) -> int:
        return len(start.expandtabs(_TAB))

    def _indentation(self, line: bytes) -> bytes:
        return line[: len(line) - len(line.lstrip(b" \t"))]

    def _body(self, number: int, outer: int, after_options: bool = False) -> tuple[int, Block | None]:
        """Returns the number of the next line, and the block indented by more than `outer` columns, or None."""
        while after_options and number < len(self._lines) and _OPTION.match(self._text(number)):
            number += 1
        body: list[int] = []
        while number < len(self._lines):
            line = self._text(number)
            if line.strip() and self._width(self._indentation(line)) <= outer:
                break
            body.append(number)
            number += 1
        while body and not self._text(body[-1]).strip():
            body.pop()
        while body and not self._text(body[0]).strip():
            body.pop(0)
        return number, self._dedented(body) if body else None

    def _session(self, number: int) -> tuple[int, Block]:
        """Returns the interpreter session at a line, which ends at a blank line, and the next line's number."""
        body = []
        while number < len(self._lines) and self._text(number).strip():
            body.append(number)
            number += 1
        indentation = self._indentation(self._text(body[0]))
        return number, Block([self._line(line_number, indentation) for line_number in body], indentation)

    def _dedented(self, body: list[int]) -> Block | None:
        full = [self._text(number) for number in body if self._text(number).strip()]
        indentation = min((self._indentation(line) for line in full), key=len)
        if not all(line.startswith(indentation) for line in full):  # tabs and spaces mixed
            return None
        return Block([self._line(number, indentation) for number in body], indentation)

    def _line(self, number: int, indentation: bytes) -> CodeLine:
        start, end = self._lines[number]
        if self._source.startswith(indentation, start):
            return CodeLine(start, start + len(indentation), end)
        line = self._text(number)
        return CodeLine(start, start + min(len(self._indentation(line)), len(indentation)), end)
