"""Resolves the names of a module by Python's own syntax tree, to check the codemod, which resolves them differently.

It is less precise than Python: a name has every value that is bound to it in its scope, in any order. So a name that is
TensorFlow's in one branch and tf1mem's in the other has both.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import Iterable, Iterator, Union

UNKNOWN = "?"
_Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_Value = Union[str, ast.expr, None]


class Scope:
    """A module, class, function or comprehension, with the values of the names that it binds."""

    def __init__(self, node: ast.AST, parent: Scope | None) -> None:
        self.node, self.parent = node, parent
        self.bound: dict[str, list[tuple[_Value, Scope]]] = defaultdict(list)
        self.module: Scope = parent.module if parent is not None else self
        self.globals: set[str] = set()

    def bind(self, name: str, value: _Value, where: Scope | None = None) -> None:
        """Adds a value to a name: a dotted path, an expression, or None for an unknown value."""
        home = self.module if name in self.globals else self
        home.bound[name].append((value, where or self))

    def find(self, name: str) -> list[tuple[_Value, Scope]] | None:
        """Returns the values of a name, looked up as Python does; None if nothing binds it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.bound and (scope is self or not isinstance(scope.node, ast.ClassDef)):
                return scope.bound[name]
            scope = scope.parent
        return None


class Names:
    """The names of a module.

    Args:
        module: The module's syntax tree.
    """

    def __init__(self, module: ast.Module) -> None:
        self.scope_of: dict[ast.AST, Scope] = {}
        self.attributes: dict[str, list[tuple[_Value, Scope]]] = defaultdict(list)
        self.stars: list[str] = []
        self.nodes: list[ast.AST] = []
        self.parent_of: dict[ast.AST, ast.AST] = {}
        self._busy: set[int] = set()
        self._calls: int = 0
        self._walk(module, Scope(module, None))

    def of(self, expression: ast.AST | None) -> set[str]:
        """Returns the dotted paths that an expression may refer to: "tf.Session()" for a call, "?" if unknown."""
        self._calls = 0
        return self._of(expression, None)

    def exported(self, name: str) -> set[str]:
        """Returns the paths that another module gets by importing a name from this one."""
        self._calls = 0
        bindings = self.scope_of[self.nodes[0]].find(name)
        if bindings is not None:
            return self._all(bindings)
        return {star + "." + name for star in self.stars}

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yields the nodes around a node, from the inside."""
        while node in self.parent_of:
            node = self.parent_of[node]
            yield node

    def _of(self, node: ast.AST | None, where: Scope | None) -> set[str]:
        self._calls += 1
        if node is None or self._calls > 2000:
            return {UNKNOWN}
        if id(node) in self._busy:
            return set()  # `tf = tf.compat.v1`: the value of `tf` on the right is one of its other values
        self._busy.add(id(node))
        try:
            if isinstance(node, ast.Name):
                bindings = self.scope_of.get(node, where or Scope(node, None)).find(node.id)
                if bindings is None:
                    return {star + "." + node.id for star in self.stars} or {UNKNOWN + node.id}
                return self._all(bindings)
            if isinstance(node, ast.Attribute):
                known = self._of(node.value, where)
                if all(path.startswith(UNKNOWN) for path in known) and node.attr in self.attributes:
                    return self._all(self.attributes[node.attr])
                return {path + "." + node.attr for path in known}
            if isinstance(node, ast.Call):
                return {path + "()" for path in self._of(node.func, where)}
            if isinstance(node, ast.IfExp):
                return self._of(node.body, where) | self._of(node.orelse, where)
            if isinstance(node, ast.BoolOp):
                return {path for value in node.values for path in self._of(value, where)}
            if isinstance(node, ast.NamedExpr):
                return self._of(node.value, where)
            if isinstance(node, ast.Constant) and node.value is None:
                return {"None"}
            return {UNKNOWN}
        finally:
            self._busy.discard(id(node))

    def _all(self, bindings: Iterable[tuple[_Value, Scope]]) -> set[str]:
        paths: set[str] = set()
        for value, scope in bindings:
            paths |= {value} if isinstance(value, str) else self._of(value, scope)
        return paths

    def _walk(self, node: ast.AST, scope: Scope) -> None:
        """Visits a node and all nodes below it, without recursion, which long chains of `elif` or `+` would exhaust."""
        waiting: list[tuple[ast.AST, Scope]] = [(node, scope)]
        while waiting:
            node, scope = waiting.pop()
            self.scope_of[node] = scope
            self.nodes.append(node)
            self._bind(node, scope)
            inner = scope
            outside: list[ast.AST] = []
            if isinstance(node, (*_Function, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
                inner = Scope(node, scope)
                inner.globals = (
                    {name for below in ast.walk(node) if isinstance(below, ast.Global) for name in below.names}
                    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                    else set()
                )
                if isinstance(node, _Function):
                    self._bind_parameters(node.args, inner)
                    outside = [*node.args.defaults, *(default for default in node.args.kw_defaults if default)]
                outside += getattr(node, "decorator_list", [])
            for child in ast.iter_child_nodes(node):
                self.parent_of[child] = node
                waiting.append((child, scope if child in outside else inner))

    @staticmethod
    def _bind_parameters(args: ast.arguments, inner: Scope) -> None:
        positional = [*args.posonlyargs, *args.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
        assert inner.parent is not None
        for parameter, default in [*zip(positional, defaults), *zip(args.kwonlyargs, args.kw_defaults)]:
            inner.bind(parameter.arg, None)
            if default is not None:
                inner.bind(parameter.arg, default, inner.parent)
        for collecting in (args.vararg, args.kwarg):
            if collecting is not None:
                inner.bind(collecting.arg, None)

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Import):
            for item in node.names:
                if item.asname:
                    scope.bind(item.asname, item.name)
                else:
                    scope.bind(item.name.split(".")[0], item.name.split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            home = "." * node.level + (node.module or "")
            for item in node.names:
                if item.name == "*":
                    self.stars.append(home)
                else:
                    scope.bind(
                        item.asname or item.name,
                        home.rstrip(".") + "." + item.name if node.module else home + item.name,
                    )
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            scope.bind(node.name, "own:" + node.name)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind_target(target, node.value, scope)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            self._bind_target(node.target, node.value, scope)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self._bind_target(node.target, None, scope)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._bind_target(node.optional_vars, node.context_expr, scope)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            scope.bind(node.name, None)

    def _bind_target(self, target: ast.expr, value: ast.expr | None, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope.bind(target.id, value)
        elif isinstance(target, ast.Attribute):
            self.attributes[target.attr].append((value, scope))
        elif isinstance(target, (ast.Tuple, ast.List)):
            same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
            for number, element in enumerate(target.elts):
                self._bind_target(element, value.elts[number] if same else None, scope)  # type: ignore[union-attr]
        elif isinstance(target, ast.Starred):
            self._bind_target(target.value, None, scope)
