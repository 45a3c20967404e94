"""The lists of statements in a module, and the places of new nodes."""

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


def located(place: ast.AST, new: Any) -> Any:
    """Gives every node of a new tree the line and column of another node; returns the tree."""
    for node in ast.walk(new):
        ast.copy_location(node, place)
    return new
