"""What the kinds of node have in common that are written otherwise for Python 3."""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any, Callable

from tf1mem.codemod.python3.floats import Floats
from tf1mem.codemod.python3.known import Known
from tf1mem.codemod.python3.texts import PLACE, Text, Unwritable
from tf1mem.codemod.python3.words import HELPERS, KEPT, MOVED, RENAMED, TAKES_ANY
from tf1mem.era.python2.syntax import Edited
from tf1mem.era.scopes import SCOPES, bound_in, tried_in

NAMES = frozenset({*RENAMED, *MOVED, *KEPT, "print"})


class Translator(ast.NodeVisitor):
    """What the kinds of node have in common: what names mean where a node stands, and how it is written.

    Args:
        text: The text.
        tree: Its tree.
        edited: How the text came about.
        folder: The folder of the package that the file is in; None if it is in none.
        way: How the file imports what lies beside it there; see `siblings`.
        kept: The numbers of the lines that are to stay as they are.
        leave: Told of what can't be written: the node, and what it is.
    """

    def __init__(
        self, text: Text, tree: ast.Module, edited: Edited, folder: str | None, *, way: str, kept: set[int],
        leave: Callable[[Any, str], None],
    ) -> None:  # fmt: skip
        self._text, self._edited, self._folder, self._leave = text, edited, folder, leave
        self._kept_lines = kept
        self._tree = tree
        self._way = way
        self._parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self._tries = set(tried_in(tree))
        self._scopes: list[tuple[ast.AST, set[str]]] = []
        every = [node for node in ast.walk(tree) if isinstance(node, (ast.Module, *SCOPES))]
        self._bound = Counter(name for scope in every for name in bound_in(scope, set()))
        self._known = Known(tree, self._bound)
        self._floats = Floats(tree, self._bound)
        # What a name of the file is, as a module; and the scopes that have it from an import, by their ids.
        self._modules: dict[str, str] = {}
        self._importing: set[tuple[int, str]] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._add_modules(node)
        self._kept: set[str] = set()
        self._imported: dict[str, set[str]] = {}
        # By module: those that have what it had; and the places that ask them in its stead.
        self._homes: dict[str, set[str]] = {}
        self._settled: set[int] = set()
        self._helps = f"{HELPERS}.raised(" in text.text
        # By builtin: what is written if the file doesn't come to keep Python 2's, and the name to keep if it does.
        self._unless_kept: list[tuple[str, Callable[[], None], str]] = []

    def _add_modules(self, node: ast.Import) -> None:
        scope: ast.AST = node
        while not isinstance(scope, (ast.Module, *SCOPES)):
            scope = self._parents[id(scope)]
        for alias in node.names:
            top = alias.name.partition(".")[0]
            name, module = (alias.asname, alias.name) if alias.asname else (top, top)
            self._modules[name] = module
            self._importing.add((id(scope), name))

    def visit(self, node: ast.AST) -> None:
        """Visits a node, and what it binds meanwhile is the program's."""
        is_scope = isinstance(node, (ast.Module, *SCOPES))
        if is_scope:
            self._scopes.append((node, set(bound_in(node, set(NAMES)))))
        self._tried(node, self._visit_statements if self._is_kept(node) else super().visit)
        if is_scope:
            self._scopes.pop()

    def _is_kept(self, node: ast.AST) -> bool:
        """Whether one of a statement's lines stays as it is, or of its head's where others stand in it."""
        if not (self._kept_lines and isinstance(node, (ast.stmt, ast.ExceptHandler))):
            return False
        body = getattr(node, "body", None)
        end = max(first_line(body[0]) - 1, node.lineno) if body else node.end_lineno or node.lineno
        return not self._kept_lines.isdisjoint(range(first_line(node), end + 1))

    def _visit_statements(self, node: ast.AST) -> None:
        for one in ast.iter_child_nodes(node):
            if isinstance(one, (ast.stmt, ast.ExceptHandler)):
                self.visit(one)

    def _tried(self, node: Any, write: Callable[[Any], Any]) -> None:
        before = len(self._text.pieces)
        try:
            write(node)
        except Unwritable as error:
            del self._text.pieces[before:]
            self._leave(node, str(error))

    def _is_own(self, name: str) -> bool:
        return self._scope_of(name) is not None

    def _scope_of(self, name: str) -> ast.AST | None:
        """The scope that binds a name, as it is meant here; None where none does."""
        inner = self._scopes[-1][0]
        return next(
            (scope for scope, bound in reversed(self._scopes)
             if name in bound and (scope is inner or not isinstance(scope, ast.ClassDef))),
            None,
        )  # fmt: skip

    def _module(self, name: str) -> str:
        """The module that a name stands for here; "" if it isn't one's."""
        scope = self._scope_of(name) if name in self._modules else None
        return "" if scope is not None and (id(scope), name) not in self._importing else self._modules.get(name, "")

    def _put(self, node: Any, new: str, what: str) -> None:
        self._text.write(self._text.start(node), PLACE, new, what, self._text.end(node))

    def _call_of(self, node: ast.AST) -> ast.Call | None:
        parent = self._parents.get(id(node))
        return parent if isinstance(parent, ast.Call) and parent.func is node else None

    def _is_taken(self, node: ast.AST) -> bool:
        """Whether what a call gives is gone through at once, by what needs no list."""
        parent = self._parents.get(id(node))
        if isinstance(parent, ast.comprehension):
            return parent.iter is node
        if isinstance(parent, ast.Call) and node in parent.args:
            name = getattr(parent.func, "id", "")
            is_eager = name in TAKES_ANY - {"enumerate", "filter", "iter", "map", "zip"}
            is_joined = getattr(parent.func, "attr", "") == "join" and isinstance(
                getattr(parent.func, "value", None), ast.Constant
            )
            return (is_eager and name not in self._bound) or is_joined
        return (
            isinstance(parent, ast.Compare)
            and node in parent.comparators
            and len(parent.ops) == 1
            and isinstance(parent.ops[0], (ast.In, ast.NotIn))
        )

    def _helper(self, name: str) -> str:
        self._helps = True
        return f"{HELPERS}.{name}"


def first_line(node: Any) -> int:
    """The number of a statement's first line, which is a decorator's if it has any."""
    first: int = min(one.lineno for one in (node, *getattr(node, "decorator_list", ())))
    return first


def is_gone_through(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    """Whether a for loop goes through what a node gives."""
    parent = parents.get(id(node))
    return isinstance(parent, ast.For) and parent.iter is node
