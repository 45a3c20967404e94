"""Translates uses of errors: in Python 2 they were sequences of their `args`, and had a `message`."""

from __future__ import annotations

import ast
import builtins
from typing import Any, Iterator

from tf1mem.codemod.python3.translator import Translator
from tf1mem.era.python2.meaning import reads_items

# Errors of the standard library that have no items in Python 3: `error[0]` was `error.args[0]`.
_PLAIN = {
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
}
_PLAIN |= {"StandardError", "os.error", "select.error", "socket.error", "socket.gaierror", "socket.herror",
           "socket.timeout"}  # fmt: skip


class Errors(Translator):
    """Translates uses of caught errors."""

    def write_errors(self) -> None:
        """Writes `e[0]`, `number, text = e` and `e.message` for all named errors that the file catches."""
        handlers = [node for node in ast.walk(self._tree) if isinstance(node, ast.ExceptHandler) and node.name]
        items = any(getattr(node, "name", "") in ("__getitem__", "__iter__") for node in ast.walk(self._tree))
        settled: set[int] = set()
        for handler in handlers:
            name = str(handler.name)
            if name in self._edited.places:  # a target with parts, which are assigned from `args`
                continue
            inside = [node for statement in handler.body for node in ast.walk(statement)]
            is_bound = any(isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
                           for node in inside)  # fmt: skip
            is_plain = not items and not is_bound and self._is_plain(handler.type)
            self._write_uses(name, inside, settled, is_plain)
        # In Python 2 the name outlives the handler.
        for name in {str(node.name) for node in handlers} - set(self._edited.places):
            if sum(node.name == name for node in handlers) + self._none_assignments(name) == self._bound[name]:
                self._write_uses(name, list(ast.walk(self._tree)), settled, is_plain=False)

    def _none_assignments(self, name: str) -> int:
        """Returns the number of times that a name is assigned None."""
        return sum(
            isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is None
            and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
            for node in ast.walk(self._tree)
        )  # fmt: skip

    def _write_uses(self, name: str, nodes: list[ast.AST], settled: set[int], is_plain: bool) -> None:
        """Writes the uses of a caught error's parts: `e.message`, `e[1]` and `number, text = e`."""
        for node in nodes:
            parent: Any = self._parents.get(id(node))
            if not isinstance(node, ast.Name) or node.id != name or id(node) in settled:
                continue
            settled.add(id(node))
            if not isinstance(node.ctx, ast.Load) or any(map(self._is_protected, self._around(node))):
                continue
            if isinstance(parent, ast.Attribute) and parent.attr == "message" and isinstance(parent.ctx, ast.Load):
                self._put(parent, self._helper(f"message({name})"), "an error has no message attribute")
            elif reads_items(node, parent):
                shown = f"{name}.args" if is_plain else self._helper(f"parts({name})")
                self._put(node, shown, "an error's parts are its args")

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        above = self._parents.get(id(node))
        while above is not None:
            if isinstance(above, (ast.stmt, ast.ExceptHandler)):
                yield above
            above = self._parents.get(id(above))

    def _is_plain(self, kind: Any) -> bool:
        """Returns True if an except clause catches Python's own errors."""
        if isinstance(kind, ast.Tuple):
            return all(map(self._is_plain, kind.elts))
        if isinstance(kind, ast.Name):
            return kind.id in _PLAIN and kind.id not in self._bound
        is_of_module = isinstance(kind, ast.Attribute) and isinstance(kind.value, ast.Name)
        return is_of_module and f"{self._modules.get(kind.value.id)}.{kind.attr}" in _PLAIN
