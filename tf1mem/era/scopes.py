"""Nodes in the `try` bodies of a module, and names that its scopes bind."""

from __future__ import annotations

import ast
from typing import Any, Iterator

# Errors that a program catches to learn its Python version.
_VERSION_ERRORS = ("ImportError", "ModuleNotFoundError", "NameError")
# Errors that a program catches to learn the Python version that wrote a pickle.
_PICKLE_ERRORS = ("UnicodeDecodeError", "UnicodeError")


def tried_in(tree: ast.Module) -> Iterator[int]:
    """Yields the ids of nodes in `try` bodies that may fail on Python 3 and whose failure the module itself handles."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and node.handlers:
            inner = [inside for statement in node.body for inside in ast.walk(statement)]
            # A body without a call, such as `unicode`, was written only to see whether it fails.
            if _catches(node, _VERSION_ERRORS) or not any(isinstance(inside, ast.Call) for inside in inner):
                yield from map(id, inner)
            elif _catches(node, _PICKLE_ERRORS):
                yield from (id(inside) for inside in inner if getattr(inside, "attr", None) in ("load", "loads"))


def _catches(node: ast.Try, names: tuple[str, ...]) -> bool:
    kinds = (handler.type for handler in node.handlers)
    return any(getattr(part, "id", None) in names for kind in kinds if kind for part in ast.walk(kind))


# Nodes that open a scope.
SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def bound_in(scope: Any, names: set[str]) -> Iterator[str]:
    """Yields the names that a scope binds, without those that its inner scopes bind.

    Args:
        scope: A node of `SCOPES`, or a module.
        names: Names that count as bound by a `global` statement, with the other names of that statement.
    """
    waiting: list[Any] = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, ast.Global) and names.intersection(node.names):
            yield from node.names
        elif isinstance(node, ast.Name) and type(node.ctx) is not ast.Load:
            yield node.id
        else:
            name = getattr(node, "name", getattr(node, "arg", None))
            if isinstance(name, str) and not isinstance(node, ast.keyword):
                yield name  # a function, a class, an argument, an exception's name
        if not isinstance(node, SCOPES):
            waiting.extend(ast.iter_child_nodes(node))
