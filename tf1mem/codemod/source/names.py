"""Name resolution: bindings, scopes, and the dotted names of TensorFlow, Keras and tf1mem that variables stand for.

A name is resolved by the import or assignment that Python would use, never guessed. If that is uncertain, the answer
contains `UNKNOWN`.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.paths import dotted_text
from tf1mem.codemod.source.scopes import Scope, Scopes
from tf1mem.codemod.source.tree import Source

UNKNOWN = "?"

_PARAMETERS = ("parameters", "lambda_parameters")
_WITH_A_DEFAULT = ("default_parameter", "typed_default_parameter")
_WITH_A_TARGET = ("augmented_assignment", "for_statement", "for_in_clause")
_OTHERS = ("as_pattern_target", "case_pattern")
_PATTERNS = ("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "dictionary_splat_pattern")
# The nodes whose children may be bound. Most identifiers lie in others.
_BINDING = frozenset([
    "dotted_name", "aliased_import", "typed_parameter", "assignment", "named_expression", "global_statement",
    "function_definition", "class_definition", "except_clause", *_PARAMETERS, *_WITH_A_DEFAULT, *_WITH_A_TARGET,
    *_OTHERS, *_PATTERNS,
])  # fmt: skip


class Binding(NamedTuple):
    """One place that binds a name to a value.

    Attributes:
        node: The bound identifier.
        scope: The scope of the binding.
        kind: "import", "assignment" (of one value to one name), "parameter" or "other".
        statement: The import statement, assignment, parameter or other node that binds.
        path: For an import, the dotted path, such as "tensorflow.contrib.slim"; None elsewhere.
        value: The value of an assignment, or a parameter's default; None elsewhere.
    """

    node: Node
    scope: Scope
    kind: str
    statement: Node
    path: str | None = None
    value: Node | None = None

    @property
    def item(self) -> Node:
        """For an import, the statement's item that binds the name, including its alias."""
        return next(node for node in (self.node, *syntax.ancestors(self.node)) if node.parent == self.statement)


class Names:
    """The names of one module."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._bindings: dict[bytes, list[Binding]] = {}
        self._globals: dict[bytes, list[Scope]] = {}  # name -> the scopes that declare it global
        self._busy: set[int] = set()  # ids of the bound identifiers whose values are being resolved

    @cached_property
    def scopes(self) -> Scopes:
        """The module's scopes."""
        return Scopes(self.source)

    def bindings(self, name: bytes) -> list[Binding]:
        """Returns every binding of a name in the module, in any scope."""
        if name not in self._bindings:
            self._globals[name] = []
            bindings = [binding for binding in map(self._binding, self.source.candidates(name)) if binding is not None]
            declared = self._globals[name]
            self._bindings[name] = [
                binding._replace(scope=self.scopes.module) if binding.scope in declared else binding
                for binding in bindings
            ]
        return self._bindings[name]

    def visible(self, node: Node) -> list[Binding]:
        """Returns the bindings that an identifier may mean: those of the innermost scope that has any."""
        name = self.source.text_of(node)
        bindings = self.bindings(name)
        if all(binding.scope is self.scopes.module for binding in bindings):
            return bindings  # wherever the node is; most imported names are such
        scope = self.scopes.at(node)
        if scope in self._globals[name]:
            scope = self.scopes.module
        for looked in scope.chain():
            here = [binding for binding in bindings if binding.scope is looked]
            if here:
                return here
        return []

    def only_value(self, node: Node) -> Node | None:
        """Returns the value of a variable that is assigned once in its scope; None for others."""
        visible = self.visible(node)
        return visible[0].value if len(visible) == 1 and visible[0].kind == "assignment" else None

    def is_use(self, node: Node) -> bool:
        """Returns True if an identifier is a variable that is read here: no attribute, keyword or binding."""
        parent = node.parent
        if parent is None or not _is_variable(node, parent):
            return False
        return all(binding.node != node for binding in self.bindings(self.source.text_of(node)))

    def uses(self, binding: Binding) -> list[Node]:
        """Returns the identifiers that may read this binding, in the order of the source."""
        name = self.source.text_of(binding.node)
        return [
            node
            for node in self.source.identifiers(name)
            if self.is_use(node) and any(visible.node == binding.node for visible in self.visible(node))
        ]

    def paths(self, node: Node) -> frozenset[str]:
        """Returns the dotted paths that an expression may stand for.

        Args:
            node: Any expression.

        Returns:
            Such as {"tensorflow.Session"}, or two paths where an import has an alternative. It contains `UNKNOWN` if
            the expression may stand for something else; {UNKNOWN} alone means that it is no name from an import.
        """
        if node.type == "parenthesized_expression" and node.named_child_count == 1:
            return self.paths(node.named_children[0])
        if node.type == "conditional_expression" and len(node.named_children) == 3:
            return self.paths(node.named_children[0]) | self.paths(node.named_children[2])
        parts = syntax.attribute(node)
        if parts is not None:
            leaf = "." + self.source.decoded(parts.leaf)
            return frozenset(path if path == UNKNOWN else path + leaf for path in self.paths(parts.object))
        if node.type != "identifier":
            return frozenset([UNKNOWN])  # also import_module("tensorflow") and getattr, which aren't resolved
        paths = frozenset(path for binding in self.visible(node) for path in self._paths_of_binding(binding))
        return paths or frozenset([UNKNOWN])

    def _paths_of_binding(self, binding: Binding) -> frozenset[str]:
        if binding.path is not None:
            return frozenset([binding.path])
        if binding.kind == "assignment" and binding.value is not None:
            if binding.value.type == "none":
                return frozenset()  # `tf = None` where an import failed: nothing is called there
            if binding.node.id in self._busy:
                return frozenset()  # `tf = tf.compat.v1`: the value means the bindings before it
            self._busy.add(binding.node.id)
            try:
                return self.paths(binding.value)
            finally:
                self._busy.discard(binding.node.id)
        return frozenset([UNKNOWN])

    def _binding(self, node: Node) -> Binding | None:
        """Returns the binding that an identifier is the target of; None for any other identifier."""
        parent = node.parent
        if parent is None or parent.type not in _BINDING:
            return None
        if parent.type in ("dotted_name", "aliased_import"):
            return self._import_binding(node, parent)
        bound, above = node, parent
        while above.type in _PATTERNS and above.parent is not None:
            bound, above = above, above.parent
        kind = above.type
        if kind in _PARAMETERS or (kind in _WITH_A_DEFAULT and syntax.name_of(above) == bound) or (
            kind == "typed_parameter" and above.named_children[0] == bound
        ):  # fmt: skip
            return Binding(node, self.scopes.at(node), "parameter", above, value=syntax.value_of(above))
        if kind in ("assignment", "named_expression") and syntax.target(above) == bound:
            value = syntax.assigned(above)
            if value is None:
                return None  # only an annotation
            if bound is node:
                return Binding(node, self.scopes.at(node), "assignment", above, value=value)
            return Binding(node, self.scopes.at(node), "other", above)
        if kind == "global_statement":
            self._globals[self.source.text_of(node)].append(self.scopes.at(node))
            return None
        if (
            kind in _OTHERS
            or (kind in _WITH_A_TARGET and syntax.target(above) == bound)
            or (kind in ("function_definition", "class_definition") and syntax.name_of(above) == bound)
            or (kind == "except_clause" and _is_python2_target(above, bound))
        ):
            return Binding(node, self.scopes.at(node), "other", above)
        return None

    def _import_binding(self, node: Node, parent: Node) -> Binding | None:
        statement = parent.parent
        if statement is None or statement.type == "aliased_import":
            return None  # import NAME as alias: the alias is bound
        item = syntax.import_item(parent)
        if item.alias is not None and item.alias != node:
            return None
        if statement.type == "case_pattern":
            return Binding(node, self.scopes.at(node), "other", statement)
        module = syntax.imported_module(statement)
        if statement.type not in syntax.IMPORTS or module == parent:
            return None
        path = dotted_text(self.source.text_of(item.name))
        if statement.type != "import_statement":
            path = (dotted_text(self.source.text_of(module)) if module is not None else "__future__") + "." + path
        elif item.alias is None:
            if parent.named_children[0] != node:
                return None
            path = path.split(".", 1)[0]
        is_outermost = statement.parent == self.scopes.module.node
        scope = self.scopes.module if is_outermost else self.scopes.at(node)
        return Binding(node, scope, "import", statement, path=path)


def _is_variable(node: Node, parent: Node) -> bool:
    if parent.type == "attribute":
        return syntax.leaf_of(parent) != node
    if parent.type == "keyword_argument":
        return syntax.name_of(parent) != node
    return parent.type not in ("dotted_name", "aliased_import", "global_statement", "nonlocal_statement")


def _is_python2_target(clause: Node, node: Node) -> bool:
    return syntax.without_comments(clause)[1:2] == [node]  # `except Error, node:`
