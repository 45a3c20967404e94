"""What an expression gives, where that can be told by how the file is written: a dict, an iterator."""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any, Callable

from tf1mem.era.python2.meaning import VIEWS, is_generator

LAZY = {prefix + name: name for name in VIEWS for prefix in ("iter", "view")}
_DICTS = ("Counter", "OrderedDict", "defaultdict")


class Known:
    """What the expressions of a file are known to give.

    Args:
        tree: The file's tree.
        bound: How often the file binds each name.
    """

    def __init__(self, tree: ast.Module, bound: Counter[str]) -> None:
        self._bound = bound
        nodes = list(ast.walk(tree))
        functions = [one for one in nodes if isinstance(one, ast.FunctionDef)]
        self._generators = {
            one.name for one in functions if bound[one.name] == 1 and not one.decorator_list and is_generator(one)
        }
        self._dict_classes = {
            alias.asname or alias.name for one in nodes if isinstance(one, ast.ImportFrom)
            and one.module == "collections" for alias in one.names if alias.name in _DICTS
        }  # fmt: skip
        self._dicts: set[str] = set()
        self._iterators: set[str] = set()
        assigned = [(target.id, one.value) for one in nodes if isinstance(one, ast.Assign)
                    for target in one.targets if isinstance(target, ast.Name)]  # fmt: skip
        keywords = [one.kwarg.arg for one in nodes if isinstance(one, ast.arguments) and one.kwarg]

        def always(holds: Callable[[Any], bool], *more: str) -> set[str]:
            times = Counter([*(name for name, value in assigned if holds(value)), *more])
            return {name for name, number in times.items() if number == bound[name]}

        self._dicts, self._iterators = always(self.is_dict, *keywords), always(self.is_iterator)

    def is_dict(self, node: ast.expr) -> bool:
        """Whether it is a dict, or `os.environ`, which has no more of one than a dict."""
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
        """Whether it is an iterator of Python 3's own."""
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
