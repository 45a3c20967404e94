"""Where the statements of a module stand."""

from __future__ import annotations

import ast
from typing import Any, Iterator

# The fields of a statement that hold statements, or the handlers and cases that hold them.
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def blocks(tree: ast.Module) -> Iterator[list[Any]]:
    """Every list of statements in a module, from the outside to the inside."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        for field in _BLOCKS:
            block = getattr(node, field, None)
            if block:
                waiting.extend(block)
                yield block
