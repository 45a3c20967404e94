"""Finds the Python code blocks of a Markdown document.

CommonMark defines which lines are a code block, in lists, quotes and HTML; markdown-it-py parses it.
"""

from __future__ import annotations

import re
from typing import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tf1mem.codemod.files.blocks import PYTHON_NAMES, Block, is_prompted, lines_of
from tf1mem.codemod.files.source_map import CodeLine

_BOM = b"\xef\xbb\xbf"
# ```python, ``` py title="x", ```{python}, ```{.python .numberLines}, ```{code-block} python, ```{code-cell} ipython3
_INFO = re.compile(r"(?:\{(?:code(?:-block|-cell)?|sourcecode)\}\s*|\{?\s*\.?)([\w-]+)")
# An option of MyST's directives, such as ":lineno-start: 1"; and the info of a directive, such as "{note}".
_OPTION = re.compile(rb"[ \t]*:[\w-]+:.*")
_DIRECTIVE = re.compile(r"\s*\{[\w-]+\}")


def blocks(source: bytes) -> Iterator[Block]:
    """Yields the blocks that are Python.

    A fenced block is Python if its info string says so; an indented block if it is an interpreter session.

    Args:
        source: The document's bytes.
    """
    start = len(_BOM) if source.startswith(_BOM) else 0
    try:
        encoding, text = "utf-8", source[start:].decode("utf-8")
    except UnicodeDecodeError:
        encoding, text = "latin-1", source[start:].decode("latin-1")
    lines = [(start + begin, start + end) for begin, end in lines_of(source[start:])]
    for token in _code(text):
        block = _block(source, lines, token, encoding)
        if block is not None and (token.type == "fence" or is_prompted(source, block)):
            yield block


def _code(text: str) -> Iterator[Token]:
    reader = MarkdownIt("commonmark").disable(["inline", "text_join"], True)
    for token in reader.parse(text):
        if token.type == "code_block" or (token.type == "fence" and _is_python(token.info)):
            yield token


def _is_python(info: str) -> bool:
    label = _INFO.match(info.strip())
    return label is not None and label.group(1).lower() in PYTHON_NAMES


def _block(source: bytes, lines: list[tuple[int, int]], token: Token, encoding: str) -> Block | None:
    """Returns a block's code with its place in the document; None if the document's lines differ from the code."""
    assert token.map is not None
    first = token.map[0] + (token.type == "fence")
    code_lines: list[CodeLine] = []
    if not token.content:
        return None
    for number, code in enumerate(token.content.removesuffix("\n").split("\n"), first):
        start, end = lines[number]
        line = source[start:end]
        ending = line[len(line.rstrip(b"\r\n")) :]
        content = code.encode(encoding, "replace")
        if not line[: len(line) - len(ending)].endswith(content):
            return None
        code_lines.append(CodeLine(start, end - len(ending) - len(content), end))
    if _DIRECTIVE.match(token.info):
        code_lines = _without_options(source, code_lines)
    full = next((line for line in code_lines if source[line.at : line.end].strip()), None)
    return Block(code_lines, source[full.start : full.at]) if full is not None else None


def _without_options(source: bytes, lines: list[CodeLine]) -> list[CodeLine]:
    """Returns the lines of a MyST directive after its options: `:linenos:` and the like, or YAML between dashes."""
    texts = [source[line.at : line.end].strip() for line in lines]
    if texts[:1] == [b"---"] and b"---" in texts[1:]:
        return lines[texts.index(b"---", 1) + 1 :]
    count = 0
    while count < len(texts) and _OPTION.match(texts[count]):
        count += 1
    return lines[count:]
