"""Extracts the Python of Markdown and reStructuredText, and maps edits back."""

from __future__ import annotations

from functools import partial
from typing import Callable, Iterable

from tf1mem.codemod.files import markdown, rst
from tf1mem.codemod.files.blocks import Block, prompted
from tf1mem.codemod.files.extracts import Lines
from tf1mem.codemod.files.fragments import Fragment, FragmentedFile
from tf1mem.codemod.files.source_map import code_map

_READERS: dict[str, Callable[[bytes], Iterable[Block]]] = {"markdown": markdown.blocks, "rst": rst.blocks}


class Document(FragmentedFile):
    """A document with Python code blocks.

    Args:
        source: The document's bytes.
        kind: "markdown" or "rst".
    """

    def __init__(self, source: bytes, kind: str) -> None:
        lines = Lines(source)
        fragments = (_fragment(source, block, lines) for block in _READERS[kind](source))
        super().__init__(kind, [fragment for fragment in fragments if fragment.map.python.strip()])


def _fragment(source: bytes, block: Block, lines: Lines) -> Fragment:
    code = prompted(source, block)
    prefix = partial(_indented if code is None else _prompt, block.indentation)
    return Fragment(code_map(source, block.lines if code is None else code, prefix), lines)


def _indented(indentation: bytes, line: bytes) -> bytes:
    return indentation if line.strip() else indentation.rstrip()


def _prompt(indentation: bytes, line: bytes) -> bytes:
    """Returns the prompt for a line of an interpreter session."""
    if not line.strip():
        return indentation + b"..."
    goes_on = line[:1] in b" \t)]}" or line.startswith((b"else:", b"elif ", b"except", b"finally:"))
    return indentation + (b"... " if goes_on else b">>> ")
