"""Finds the IPython magics of a cell, and replaces them so that the cell can be parsed as Python.

IPython looks for magics at the start of each statement (`%`, `!`, `?`, `,`, `;`, `/`), after an `=` outside of
brackets, and at a question mark that ends a line: IPython's core/inputtransformer2.py. A `%` or `!` anywhere else is
Python's or part of a string. So the reader tokenizes strings, brackets, comments, line ends, `=` and comparisons, and
no other Python.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable, NamedTuple

# Cell magics that run the rest of the cell as Python, in the same program.
PYTHON_CELL_MAGICS = frozenset(
    b"add_to black capture debug flake8 heat lprun memit mprun notify prun px pycodestyle pyinstrument scalene "
    b"snakeviz time timeit wandb".split()
)

# A quick check: a cell that doesn't match has no magic.
_CANDIDATE = re.compile(rb"^[ \t]*[%!?,;/]|=[ \t]*[%!]|\?[ \t;]*\r?$", re.MULTILINE)
_CELL_MAGIC = re.compile(rb"%%[ \t]*([\w.]*)(?![\w.]*\?)[^\r\n]*(\r?\n|)")
_BLANK_OR_COMMENT = re.compile(rb"[ \t]*(?:#[^\r\n]*)?(?:\r?\n|\Z)")
_LINE = re.compile(rb"[^\r\n]*")
# Includes lines continued by a backslash.
_MAGIC_LINES = re.compile(rb"[^\r\n]*?(?:\\\r?\n[^\r\n]*?)*(?=\r?\n|\r|\Z)")
_STATEMENT_MAGIC = re.compile(rb"[%!?]|[,;/][A-Za-z_]")
_HELP = re.compile(rb"%{0,2}[\w.*]+(?:\[[\w'\"]+\][\w.]*)?\?\??[ \t]*;?[ \t]*$")
_TIMED = re.compile(rb"%(?:time|timeit)[ \t]+(?:-[a-z](?:[ \t]*\d+)?[ \t]+|--[a-z-]+[ \t]+)*(?=[^\s%!?#-])")
_MAGIC_VALUE = re.compile(rb"=[ \t]*(?=![^=]|%[ \t]*[A-Za-z_])")
_OPENS_BLOCK = re.compile(rb":\s*(?:#.*)?$")
_LINE_END = re.compile(rb"\r?\n|\r|\Z")
_TOKEN = re.compile(
    rb"""
    (?P<string>
        \"\"\" [^"\\]* (?: (?: \\. | "(?!"") ) [^"\\]* )* (?: \"\"\" | \\?\Z )
      | ''' [^'\\]* (?: (?: \\. | '(?!'') ) [^'\\]* )* (?: ''' | \\?\Z )
      | " [^"\\\n]* (?: \\(?:\r\n|.) [^"\\\n]* )* "?
      | ' [^'\\\n]* (?: \\(?:\r\n|.) [^'\\\n]* )* '?
    )
  | (?P<comment> \# [^\r\n]* )
  | (?P<open> [(\[{] )
  | (?P<close> [)\]}] )
  | (?P<joined> \\ \r? \n )
  | (?P<compared> [=!<>]= )
  | (?P<assigned> = )
  | (?P<line> \r? \n )
  | [^"'\#()\[\]{}\\=!<>\r\n]+ | .
    """,
    re.DOTALL | re.VERBOSE,
)


class LineMagic(NamedTuple):
    """A magic that takes its whole line.

    Attributes:
        text: The magic, without indentation and line end.
        alone: True if it is the only statement of its block.
    """

    text: bytes
    alone: bool


@dataclass(frozen=True)
class Placeholder:
    """The Python text that replaces a magic.

    Attributes:
        start: The offset in the cell where the magic begins, in bytes.
        end: The offset where it ends.
        replacement: Python; empty if Python follows the magic on its line, as after `%time`.
        is_cell_magic: True for a cell magic (`%%time`), False for any other magic.
        line: The line magic, or None for any other magic.
    """

    start: int
    end: int
    replacement: bytes = b""
    is_cell_magic: bool = False
    line: LineMagic | None = None


def find_magics(cell: bytes) -> list[Placeholder] | None:
    """Finds the magics of a cell.

    Args:
        cell: The cell's source, without the indentation that all of its lines share.

    Returns:
        Their placeholders, in order; None if a cell magic passes the cell to another language or program.
    """
    return _Reader(cell).read() if _CANDIDATE.search(cell) else []


def without_magics(
    cell: bytes, left_out: Callable[[bytes, Placeholder | None], object] = lambda cell, magic: None
) -> bytes:
    """Returns a cell's Python, line for line; empty if a cell magic passes it to another language or program.

    Args:
        cell: The cell's source.
        left_out: A function called with the cell and each magic left out, or with None for a cell left out as a whole.
    """
    magics = find_magics(cell)
    if magics is None:
        left_out(cell, None)
        return b""
    python = b""
    end = 0
    for magic in magics:
        left_out(cell, magic)
        python += cell[end : magic.start] + magic.replacement
        end = magic.end
    return python + cell[end:]


class _Reader:
    """Reads a cell from its start to its end, statement by statement, and collects its magics.

    The methods take and return offsets in the cell, in bytes.
    """

    def __init__(self, cell: bytes) -> None:
        self._cell = cell
        self._placeholders: list[Placeholder] = []

    def read(self) -> list[Placeholder] | None:
        offset = self._cell_magics()
        if offset is None:
            return None
        while offset < len(self._cell):
            offset = self._statement(offset)
        return self._placeholders

    def _cell_magics(self) -> int | None:
        """Skips the cell magics on top (Colab allows comments before them). Returns None for a cell not in Python."""
        cell, offset = self._cell, 0
        while offset < len(cell):
            skipped = _BLANK_OR_COMMENT.match(cell, offset)
            if skipped is not None and skipped.end() > offset:
                offset = skipped.end()
                continue
            magic = _CELL_MAGIC.match(cell, offset)
            if magic is None:
                break
            if magic.group(1) not in PYTHON_CELL_MAGICS:
                return None
            line_end = cell[magic.start(2) : magic.end()]
            self._placeholders.append(Placeholder(offset, magic.end(), b"#" + line_end, is_cell_magic=True))
            offset = magic.end()
        return offset if self._placeholders else 0

    def _statement(self, offset: int) -> int:
        """Reads the lines of one statement, from the start of a line; returns the offset of the next."""
        cell = self._cell
        start = offset
        while cell[offset : offset + 1] in (b" ", b"\t", b"\f"):
            offset += 1
        if _STATEMENT_MAGIC.match(cell, offset) or _HELP.match(self._line(offset)):
            return self._magic(start, offset)
        depth = 0
        while offset < len(cell):
            if not depth and cell[offset] == b"="[0]:
                magic = _MAGIC_VALUE.match(cell, offset)
                if magic is not None:
                    return self._value(magic.end())
            token = _TOKEN.match(cell, offset)
            assert token is not None
            offset = token.end()
            if token.lastgroup == "open":
                depth += 1
            elif token.lastgroup == "close":
                depth = max(depth - 1, 0)
            elif token.lastgroup == "line" and not depth:
                break
        return offset

    def _line(self, offset: int) -> bytes:
        line = _LINE.match(self._cell, offset)
        assert line is not None
        return line.group()

    def _extent(self, offset: int) -> tuple[int, int, int | None]:
        """Returns three offsets: the end of a magic, the end of its line, and the start of the Python that it times."""
        text = _MAGIC_LINES.match(self._cell, offset)
        assert text is not None
        line = _LINE_END.match(self._cell, text.end())
        assert line is not None
        timed = _TIMED.match(self._cell, offset)
        timed_start = None if timed is None or b"\n" in text.group() else timed.end()
        return text.end(), line.end(), timed_start

    def _magic(self, start: int, offset: int) -> int:
        """Replaces the magic in a line that starts at `start`; returns the offset of the next line."""
        cell = self._cell
        end, next_line, timed = self._extent(offset)
        if timed is not None:
            self._placeholders.append(Placeholder(offset, timed))
            return next_line
        alone = self._is_alone(start, offset - start, next_line)
        line = LineMagic(cell[offset:end], alone)
        # An indented magic becomes `pass`, since a block needs a statement. At the left margin a comment will do.
        placeholder = (b"pass" if offset > start else b"#") + b"\n#" * cell.count(b"\n", offset, end)
        self._placeholders.append(Placeholder(offset, next_line, placeholder + cell[end:next_line], line=line))
        return next_line

    def _value(self, offset: int) -> int:
        """Replaces the magic in `x = !ls` or `x = %time f()`; returns the offset of the next line."""
        end, next_line, timed = self._extent(offset)
        self._placeholders.append(Placeholder(offset, end, b"None") if timed is None else Placeholder(offset, timed))
        return next_line

    def _is_alone(self, start: int, indentation: int, next_line: int) -> bool:
        """Returns True if the line from `start` to `next_line` is the only statement of an indented block."""
        if not indentation:
            return False
        above, below = self._code_above(start), self._code_below(next_line)
        return _OPENS_BLOCK.search(above) is not None and (not below or _indentation(below) < indentation)

    def _code_above(self, end: int) -> bytes:
        """Returns the nearest line before an offset that is neither blank nor a comment, or an empty one."""
        while end > 0:
            start = self._cell.rfind(b"\n", 0, end - 1) + 1
            if _is_code(self._cell[start:end]):
                return self._cell[start:end]
            end = start
        return b""

    def _code_below(self, start: int) -> bytes:
        """Returns the nearest line from an offset on that is neither blank nor a comment, or an empty one."""
        while start < len(self._cell):
            end = self._cell.find(b"\n", start) + 1 or len(self._cell)
            if _is_code(self._cell[start:end]):
                return self._cell[start:end]
            start = end
        return b""


def _is_code(line: bytes) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(b"#")


def _indentation(line: bytes) -> int:
    return len(line) - len(line.lstrip())
