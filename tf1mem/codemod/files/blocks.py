"""Code blocks of a Markdown or reST document: which bytes of each line are code, and whether they are Python."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Iterator, NamedTuple, Sequence

from tf1mem.codemod.files.source_map import CodeLine

# Names by which Pygments, and sites that render Markdown, know Python.
PYTHON_NAMES = frozenset(
    ("python", "py", "python3", "py3", "python2", "py2", "ipython", "ipython3", "pycon", "pycon3", "python-console")
)

_LINE_END = re.compile(rb"\r\n|\n|\r")
_PROMPT = re.compile(rb"[ \t]*(?:>>>|\.\.\.)(?: |(?=\r?\n|\r|\Z))")
_FIRST_PROMPT = re.compile(rb"[ \t]*>>>(?: |\r?\n|\r|\Z)")
# Statements that show that a block without the name of a language is Python.
_STATEMENTS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.With, ast.For, ast.If)


class Block(NamedTuple):
    """A code block.

    Attributes:
        lines: The block's lines.
        indentation: The text before the code with which its lines start: white space, or quote marks.
    """

    lines: Sequence[CodeLine]
    indentation: bytes


def lines_of(source: bytes) -> list[tuple[int, int]]:
    """Returns the offsets at which each line begins and ends, in bytes, line end included."""
    starts = [0, *(line_end.end() for line_end in _LINE_END.finditer(source))]
    return [(start, end) for start, end in zip(starts, [*starts[1:], len(source)]) if start < end]


def text_of(source: bytes, block: Block) -> bytes:
    """Returns a block's code."""
    return b"".join(source[line.at : line.end] for line in block.lines)


def is_prompted(source: bytes, block: Block) -> bool:
    """Returns True if a block is an interpreter session: its first line that isn't blank begins with `>>>`."""
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
    """Returns True if code without the name of a language is taken for Python.

    It is if it begins with the prompt `>>>`, or if it parses and has a statement of `_STATEMENTS` or a call at its top
    level: many other texts, such as a single word, parse as well.
    """
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
