"""Finds expressions that are surely dicts or iterators, by the source alone."""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any, Callable

from tf1mem.era.python2.meaning import VIEWS, is_generator

LAZY = {prefix + name: name for name in VIEWS for prefix in ("iter", "view")}
_DICTS = ("Counter", "OrderedDict", "defaultdict")


class Known:
    """Decides whether expressions of a file are surely dicts or iterators.

    Args:
        tree: The file's tree.
        bound: Number of bindings of each name in the file.
    """

    def __init__(self, tree: ast.Module, bound: Counter[str]) -> None:
        self._bound = bound
        nodes = list(ast.walk(tree))
        functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
        self._generators = {
            function.name
            for function in functions
            if bound[function.name] == 1 and not function.decorator_list and is_generator(function)
        }
        self._dict_classes = {
            alias.asname or alias.name for node in nodes if isinstance(node, ast.ImportFrom)
            and node.module == "collections" for alias in node.names if alias.name in _DICTS
        }  # fmt: skip
        self._dicts: set[str] = set()
        self._iterators: set[str] = set()
        assigned = [(target.id, node.value) for node in nodes if isinstance(node, ast.Assign)
                    for target in node.targets if isinstance(target, ast.Name)]  # fmt: skip
        keywords = [node.kwarg.arg for node in nodes if isinstance(node, ast.arguments) and node.kwarg]

        def always(holds: Callable[[Any], bool], *more: str) -> set[str]:
            times = Counter([*(name for name, value in assigned if holds(value)), *more])
            return {name for name, number in times.items() if number == bound[name]}

        self._dicts, self._iterators = always(self.is_dict, *keywords), always(self.is_iterator)

    def is_dict(self, node: ast.expr) -> bool:
        """Returns True for a dict, or `os.environ`, which has a dict's methods."""
        if isinstance(node, ast.Name):
            return node.id in self._dicts
        if isinstance(node, ast.Attribute):
            return node.attr == "__dict__" or (node.attr == "environ" and getattr(node.value, "id", "") == "os")
        if not isinstance(node, ast.Call):
            return isinstance(node, (ast.Dict, ast.DictComp))
        called = node.func
        if isinstance(called, ast.Attribute):
            is_copied = called.attr == "copy" and self.is_dict(called.value)
            return is_copied or (called.attr in _DICTS and getattr(called.value, "id", "") == "collections")
        return self._is_builtin(called, "dict globals locals") or getattr(called, "id", "") in self._dict_classes

    def is_iterator(self, node: ast.expr) -> bool:
        """Returns True for one of Python 3's own iterators."""
        if isinstance(node, ast.Name):
            return node.id in self._iterators
        if not isinstance(node, ast.Call):
            return isinstance(node, ast.GeneratorExp)
        called = node.func
        if isinstance(called, ast.Attribute):
            return called.attr in LAZY and called.attr.startswith("iter") and called.attr not in self._bound
        return self._is_builtin(called, "enumerate iter reversed") or getattr(called, "id", "") in self._generators

    def _is_builtin(self, called: ast.expr, names: str) -> bool:
        name = getattr(called, "id", "")
        return name in names.split() and name not in self._bound
