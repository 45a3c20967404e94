"""The scopes of a module: the module, its classes, functions, lambdas and comprehensions."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import Iterator

from tree_sitter import Node, Query, QueryCursor

from tf1mem.codemod.source.syntax import PYTHON, annotation, body, parameters, value_of
from tf1mem.codemod.source.tree import Source

# The regions of scopes. A function's name, decorators and annotations, and a class's bases, lie outside.
_SCOPES = Query(
    PYTHON,
    """
    (function_definition) @function
    (class_definition) @class
    (lambda) @function
    [(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @function
    """,
)
_PARAMETERS = ("default_parameter", "typed_default_parameter", "typed_parameter")


class Scope:
    """A region of source with its own names.

    Attributes:
        node: The definition; the root node for the module.
        start: Offset at which the region begins.
        end: Offset at which it ends.
        kind: "module", "class" or "function" (lambdas and comprehensions, too).
        outer: The enclosing scope; None for the module.
    """

    def __init__(self, node: Node, start: int, end: int, kind: str, outer: Scope | None) -> None:
        self.node, self.start, self.end, self.kind, self.outer = node, start, end, kind, outer

    def chain(self) -> Iterator[Scope]:
        """Yields the scopes in which Python looks a name up from here; a class body only for its own statements."""
        yield self
        scope = self.outer
        while scope is not None:
            if scope.kind != "class":
                yield scope
            scope = scope.outer


class Scopes:
    """All scopes of a module; those in it are looked for when they are first needed, which many modules never do.

    Args:
        source: The module.

    Attributes:
        module: The module's own scope.
    """

    def __init__(self, source: Source) -> None:
        self.module = Scope(source.tree.root_node, 0, len(source.text) + 1, "module", None)

    @cached_property
    def _scopes(self) -> list[Scope]:
        """All scopes, ordered by their starts."""
        entries = []
        for kind, nodes in QueryCursor(_SCOPES).captures(self.module.node).items():
            for node in nodes:
                inner: Node | None = node
                if node.type == "function_definition":
                    inner = parameters(node)
                elif node.type == "class_definition":
                    inner = body(node)
                if inner is not None:
                    entries.append((inner.start_byte, node.end_byte, kind, node))
        entries.sort(key=lambda entry: (entry[0], -entry[1]))
        scopes = [self.module]
        open_scopes = [self.module]
        for start, end, kind, node in entries:
            while open_scopes[-1].end <= start:
                open_scopes.pop()
            scope = Scope(node, start, end, kind, open_scopes[-1])
            scopes.append(scope)
            open_scopes.append(scope)
        return scopes

    @cached_property
    def _starts(self) -> list[int]:
        return [scope.start for scope in self._scopes]

    def at(self, node: Node) -> Scope:
        """Returns the scope in which a node is evaluated."""
        scope: Scope = self._scopes[bisect_right(self._starts, node.start_byte) - 1]
        while scope.end <= node.start_byte:
            assert scope.outer is not None
            scope = scope.outer
        return self._outside(scope, node)

    def _outside(self, scope: Scope, node: Node) -> Scope:
        # Defaults of parameters and annotations are evaluated where the function is defined.
        signature = parameters(scope.node) if scope.kind == "function" else None
        if signature is None or not signature.start_byte <= node.start_byte < signature.end_byte:
            return scope
        child = node
        while child.parent is not None and child.parent != signature:
            above = child.parent
            is_outside = child in (value_of(above), annotation(above)) if above.type in _PARAMETERS else False
            if is_outside and scope.outer is not None:
                return scope.outer
            child = above
        return scope
