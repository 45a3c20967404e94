"""Targets of assignments that are read before they are set, as `a[f()] += 1` does: their calls run once."""

from __future__ import annotations

import ast
from copy import deepcopy
from typing import Any


class HoistedCalls(ast.NodeTransformer):
    """Moves the calls in a target into assignments before it.

    Args:
        number: The number of calls that the file's earlier targets had: each gets a name of its own.

    Attributes:
        assignments: The assignments, in the order in which the calls run.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self.assignments: list[ast.stmt] = []

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replaces a call by the name of its result."""
        name = f"__tf1mem_part_{self._number + len(self.assignments)}__"
        target = ast.copy_location(ast.Name(name, ast.Store()), node)
        self.assignments.append(ast.copy_location(ast.Assign([target], node), node))
        return ast.copy_location(ast.Name(name, ast.Load()), node)


def to_read(target: Any) -> ast.expr:
    """Returns a copy of a target that reads its value."""
    new = deepcopy(target)
    new.ctx = ast.Load()
    return new  # type: ignore[no-any-return]
