"""What a module tries, and the names that its scopes bind."""

from __future__ import annotations

import ast
from typing import Any, Iterator

# What a program catches that looks which Python it runs on, and what of pickles, on which one they were written.
_LOOKS = ("ImportError", "ModuleNotFoundError", "NameError")
_LOOKS_AT_PICKLES = ("UnicodeDecodeError", "UnicodeError")


def tried_in(tree: ast.Module) -> Iterator[int]:
    """What a module tries that may fail on Python 3, by id: it has its own answer, and has to find Python 3 there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and node.handlers:
            inner = [each for one in node.body for each in ast.walk(one)]
            # What calls nothing was written for its error alone.
            if _catches(node, _LOOKS) or not any(isinstance(one, ast.Call) for one in inner):
                yield from map(id, inner)
            elif _catches(node, _LOOKS_AT_PICKLES):
                yield from (id(one) for one in inner if getattr(one, "attr", None) in ("load", "loads"))


def _catches(node: ast.Try, names: tuple[str, ...]) -> bool:
    kinds = (handler.type for handler in node.handlers)
    return any(getattr(one, "id", None) in names for kind in kinds if kind for one in ast.walk(kind))


# What has names of its own.
SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def bound_in(scope: Any, names: set[str]) -> Iterator[str]:
    """Those names that a scope binds, without the scopes in it."""
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
                yield name  # a function, a class, an argument, what an error is caught as
        if not isinstance(node, SCOPES):
            waiting.extend(ast.iter_child_nodes(node))
