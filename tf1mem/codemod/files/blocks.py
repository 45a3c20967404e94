"""Code blocks of a document: for each line, the bytes that are code."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Iterator, NamedTuple, Sequence

from tf1mem.codemod.files.source_map import CodeLine

# Names of Python in Pygments and on sites that render Markdown.
PYTHON_NAMES = frozenset(
    ("python", "py", "python3", "py3", "python2", "py2", "ipython", "ipython3", "pycon", "pycon3", "python-console")
)

_LINE_END = re.compile(rb"\r\n|\n|\r")
_PROMPT = re.compile(rb"[ \t]*(?:>>>|\.\.\.)(?: |(?=\r?\n|\r|\Z))")
_FIRST_PROMPT = re.compile(rb"[ \t]*>>>(?: |\r?\n|\r|\Z)")
# Statements that show that a text without a named language is Python.
_STATEMENTS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.With, ast.For, ast.If)


class Block(NamedTuple):
    """A code block.

    Attributes:
        lines: The block's lines.
        indentation: The text that its lines start with.
    """

    lines: Sequence[CodeLine]
    indentation: bytes


def lines_of(source: bytes) -> list[tuple[int, int]]:
    """Returns the offsets at which each line begins and ends, line end included."""
    starts = [0, *(line_end.end() for line_end in _LINE_END.finditer(source))]
    return [(start, end) for start, end in zip(starts, [*starts[1:], len(source)]) if start < end]


def text_of(source: bytes, block: Block) -> bytes:
    """Returns a block's code."""
    return b"".join(source[line.at : line.end] for line in block.lines)


def is_prompted(source: bytes, block: Block) -> bool:
    """Returns True if a block is an interpreter session: its first line has a prompt."""
    first = next((line for line in block.lines if source[line.at : line.end].strip()), None)
    return first is not None and _FIRST_PROMPT.match(source, first.at, first.end) is not None


def prompted(source: bytes, block: Block) -> list[CodeLine] | None:
    """Returns the lines of a session that have a prompt, without the prompt and the output; None for other blocks."""
    return list(_without_prompts(source, block)) if is_prompted(source, block) else None


def _without_prompts(source: bytes, block: Block) -> Iterator[CodeLine]:
    joined = True
    for line in block.lines:
        prompt = _PROMPT.match(source, line.at, line.end)
        if prompt is None:
            joined = False
            continue
        yield line._replace(at=prompt.end(), joined=joined)
        joined = True


def is_plainly_python(code: bytes) -> bool:
    """Returns True if unlabelled code can only be Python: it compiles, and has an effect."""
    if _FIRST_PROMPT.match(code.lstrip(b"\r\n")):
        return True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(
        isinstance(statement, _STATEMENTS)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call))
        for statement in tree.body
    )
