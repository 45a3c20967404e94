"""The Python code blocks of a Markdown document.

Which lines are a code block, in a list, in a quote, among HTML, is CommonMark's to say; markdown-it-py reads that.
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
_OPTION = re.compile(rb"[ \t]*:[\w-]+:.*")
_DIRECTIVE = re.compile(r"\s*\{[\w-]+\}")


def blocks(source: bytes) -> Iterator[Block]:
    """Finds the blocks that are Python.

    Fenced blocks are where they are named so, indented ones where they are sessions in the interpreter.

    Args:
        source: The document.
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
    found = _INFO.match(info.strip())
    return found is not None and found.group(1).lower() in PYTHON_NAMES


def _block(source: bytes, lines: list[tuple[int, int]], token: Token, encoding: str) -> Block | None:
    """Where a block's code is in the document; None if its lines aren't there as they are in the code."""
    assert token.map is not None
    first = token.map[0] + (token.type == "fence")
    found: list[CodeLine] = []
    if not token.content:
        return None
    for number, code in enumerate(token.content.removesuffix("\n").split("\n"), first):
        start, end = lines[number]
        line = source[start:end]
        ending = line[len(line.rstrip(b"\r\n")) :]
        wanted = code.encode(encoding, "replace")
        if not line[: len(line) - len(ending)].endswith(wanted):
            return None
        found.append(CodeLine(start, end - len(ending) - len(wanted), end))
    if _DIRECTIVE.match(token.info):
        found = _without_options(source, found)
    full = next((line for line in found if source[line.at : line.end].strip()), None)
    return Block(found, source[full.start : full.at]) if full is not None else None


def _without_options(source: bytes, lines: list[CodeLine]) -> list[CodeLine]:
    """The lines of a MyST directive behind its options: `:linenos:` and its like, or YAML between dashes."""
    texts = [source[line.at : line.end].strip() for line in lines]
    if texts[:1] == [b"---"] and b"---" in texts[1:]:
        return lines[texts.index(b"---", 1) + 1 :]
    count = 0
    while count < len(texts) and _OPTION.match(texts[count]):
        count += 1
    return lines[count:]
