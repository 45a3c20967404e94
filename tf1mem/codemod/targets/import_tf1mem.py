"""Places `import tf1mem` once, before TensorFlow is imported, so that the first op finds the settings in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable

from tree_sitter import Node

from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.syntax import BLOCKS, IMPORTS, ancestors

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

_STATEMENT = b"import tf1mem"


def edits(facts: Facts, places: Iterable[int]) -> list[Edit]:
    """Returns the insertions that make `tf1mem` known at some places of a module.

    Args:
        facts: The module's facts.
        places: Offsets at which `tf1mem.…` will be written.

    Returns:
        The edits, in order; none for places that have an import of it already.
    """
    root = facts.source.tree.root_node
    insertions: dict[int, Edit] = {}
    for place in places:
        node = root.descendant_for_byte_range(place, place)
        if node is None or _is_known(facts, node):
            continue
        before = _first_import(facts, node)
        if before is None:
            at, indentation = _after_the_head(facts), b""
        else:
            at, indentation = facts.source.line_start(before.start_byte), facts.source.indentation(before.start_byte)
        insertions[at] = Edit(at, at, indentation + _STATEMENT + facts.source.newline)
    return [insertions[at] for at in sorted(insertions)]


def _is_known(facts: Facts, node: Node) -> bool:
    scopes = list(facts.names.scopes.at(node).chain())
    return any(binding.path == "tf1mem" and binding.scope in scopes for binding in facts.names.bindings(b"tf1mem"))


def _first_import(facts: Facts, node: Node) -> Node | None:
    """Returns the first statement that imports TensorFlow or Keras, in the outermost scope that has one."""
    for scope in reversed([*facts.names.scopes.at(node).chain()]):
        for binding in facts.imports.bindings:
            if binding.scope is scope:
                return _whole_statement(binding.statement, scope.node)
    return None


def _whole_statement(statement: Node, scope: Node) -> Node:
    """Returns the statement of the scope's own block that contains an import, for example the `try` around it."""
    whole = statement
    for above in ancestors(statement):
        if above == scope or above.type in ("function_definition", "class_definition"):
            break
        if above.type not in BLOCKS:
            whole = above
    return whole


def _after_the_head(facts: Facts) -> int:
    """Returns the offset just after the docstring and the imports that a module starts with."""
    root = facts.source.tree.root_node
    end = 0
    for child in root.children:
        parts = [part.type for part in child.named_children]
        is_docstring = child.type == "expression_statement" and parts == ["string"]
        if (is_docstring and not end) or child.type in IMPORTS:
            end = facts.source.line_end(child.end_byte)
        elif child.type != "comment":
            break
    if end:
        return end
    first = next((child for child in root.children if child.type != "comment"), None)
    return facts.source.line_start(first.start_byte) if first is not None else 0
