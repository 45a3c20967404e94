"""The lists of statements in a module."""

from __future__ import annotations

import ast
from typing import Any, Iterator

# Fields of a statement that hold statements, or the handlers and cases that do.
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def blocks(tree: ast.Module) -> Iterator[list[Any]]:
    """Yields every list of statements in a module, outer ones first."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        for field in _BLOCKS:
            block = getattr(node, field, None)
            if block:
                waiting.extend(block)
                yield block
