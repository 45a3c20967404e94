"""The base class of all translators: it knows a file's bindings, modules and protected lines, and nodes' parents."""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any, Callable

from tf1mem.codemod.python3.floats import Floats
from tf1mem.codemod.python3.known import Known
from tf1mem.codemod.python3.texts import PLACE, Text, Unwritable
from tf1mem.codemod.python3.words import HELPERS, KEPT_BUILTINS, MOVED_BUILTINS, RENAMED_BUILTINS, TAKES_ANY
from tf1mem.era.python2.syntax import Edited
from tf1mem.era.scopes import SCOPES, bound_in, tried_in

# The builtins of Python 2 that translators may replace.
NAMES = frozenset({*RENAMED_BUILTINS, *MOVED_BUILTINS, *KEPT_BUILTINS, "print"})


class Translator(ast.NodeVisitor):
    """The base of all translators: decides what a name means at a node, and adds edits to the text.

    Args:
        text: The text to edit, which Python 3 can parse.
        tree: The text's syntax tree.
        edited: The text as `era.python2.syntax` wrote it, with the names that it imports from `__future__` and the
            placeholder names.
        folder: Folder of the file's package; None if it is in none.
        way: The way in which the file imports modules beside it: `siblings.RELATIVE`, `ABSOLUTE` or `EITHER`.
        protected: Numbers of the lines, from 1, that stay unchanged, because a comment says so.
        leave: Called with a node that has no translation, and a description of the untranslated code.
    """

    def __init__(
        self, text: Text, tree: ast.Module, edited: Edited, folder: str | None, *, way: str, protected: set[int],
        leave: Callable[[Any, str], None],
    ) -> None:  # fmt: skip
        self._text, self._edited, self._folder, self._leave = text, edited, folder, leave
        self._protected_lines = protected
        self._tree = tree
        self._way = way
        self._parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        # Ids of nodes that the file tries and for whose failure on Python 3 it has an alternative.
        self._tries = set(tried_in(tree))
        # The scopes around the visited node, outer ones first, each with the names that it binds.
        self._scopes: list[tuple[ast.AST, set[str]]] = []
        # Name -> the number of its bindings in the whole file.
        every = [node for node in ast.walk(tree) if isinstance(node, (ast.Module, *SCOPES))]
        self._bound = Counter(name for scope in every for name in bound_in(scope, set()))
        self._known = Known(tree, self._bound)
        self._floats = Floats(tree, self._bound)
        # Name -> the module that an `import` statement binds it to; and pairs of the importing scope's id and the name.
        self._modules: dict[str, str] = {}
        self._importing: set[tuple[int, str]] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._add_modules(node)
        # The builtins that the file imports from `HOME`, as Python 2 had them; and module -> names to import from it.
        self._python2_builtins: set[str] = set()
        self._imported: dict[str, set[str]] = {}
        # Module of Python 2 -> the modules that have its names in Python 3; and the ids of nodes that use the latter.
        self._homes: dict[str, set[str]] = {}
        self._replaced: set[int] = set()
        self._helps = f"{HELPERS}.raised(" in text.text
        # (builtin, write, name): at the end, if the builtin is in `_python2_builtins`, the name (unless "") is added to
        # them; otherwise `write` is called.
        self._unless_python2: list[tuple[str, Callable[[], None], str]] = []

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
        """Visits a node. A name that a scope in `_scopes` binds is the program's own, not Python's."""
        is_scope = isinstance(node, (ast.Module, *SCOPES))
        if is_scope:
            self._scopes.append((node, set(bound_in(node, set(NAMES)))))
        self._attempt(node, self._visit_statements if self._is_protected(node) else super().visit)
        if is_scope:
            self._scopes.pop()

    def _is_protected(self, node: ast.AST) -> bool:
        """Returns True if any line of a statement, or of a compound statement's head, stays unchanged."""
        if not (self._protected_lines and isinstance(node, (ast.stmt, ast.ExceptHandler))):
            return False
        body = getattr(node, "body", None)
        end = max(first_line(body[0]) - 1, node.lineno) if body else node.end_lineno or node.lineno
        return not self._protected_lines.isdisjoint(range(first_line(node), end + 1))

    def _visit_statements(self, node: ast.AST) -> None:
        """Visits only the statements inside a protected statement, whose own lines stay unchanged."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.stmt, ast.ExceptHandler)):
                self.visit(child)

    def _attempt(self, node: Any, write: Callable[[Any], Any]) -> None:
        """Calls `write` with a node. If a part can't be written, undoes its edits, and passes the node to `leave`."""
        before = len(self._text.pieces)
        try:
            write(node)
        except Unwritable as error:
            del self._text.pieces[before:]
            self._leave(node, str(error))

    def _is_own(self, name: str) -> bool:
        return self._scope_of(name) is not None

    def _scope_of(self, name: str) -> ast.AST | None:
        """Returns the scope whose binding of a name the visited node sees; None if there is none."""
        inner = self._scopes[-1][0]
        return next(
            (scope for scope, bound in reversed(self._scopes)
             if name in bound and (scope is inner or not isinstance(scope, ast.ClassDef))),
            None,
        )  # fmt: skip

    def _module(self, name: str) -> str:
        """Returns the module that a name means at the visited node; "" if it means none."""
        scope = self._scope_of(name) if name in self._modules else None
        return "" if scope is not None and (id(scope), name) not in self._importing else self._modules.get(name, "")

    def _put(self, node: Any, new: str, change: str) -> None:
        self._text.write(self._text.start(node), PLACE, new, change, self._text.end(node))

    def _call_of(self, node: ast.AST) -> ast.Call | None:
        parent = self._parents.get(id(node))
        return parent if isinstance(parent, ast.Call) and parent.func is node else None

    def _is_taken(self, node: ast.AST) -> bool:
        """Returns True if a call's result needs no list, since it is read at once.

        A comprehension, `in`, `str.join` on a literal and functions such as `sum` read it; `enumerate` and other lazy
        functions don't.
        """
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
        """Returns the path of a function of the helper module, which the file then imports."""
        self._helps = True
        return f"{HELPERS}.{name}"


def first_line(node: Any) -> int:
    """Returns the number of a statement's first line, which may be a decorator's."""
    first: int = min(part.lineno for part in (node, *getattr(node, "decorator_list", ())))
    return first


def is_looped_over(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    """Returns True if a node is the iterable of a `for` statement.

    Args:
        node: An expression.
        parents: A node's id -> its parent.
    """
    parent = parents.get(id(node))
    return isinstance(parent, ast.For) and parent.iter is node
