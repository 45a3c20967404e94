"""Typed views of tree-sitter's nodes: calls, attributes, assignments, imports, loops and the like.

A complete node has all of its required parts, even in broken source, where tree-sitter adds missing nodes. Parts are
read by field number, since it takes half the time of reading by name and happens often.
Source: https://github.com/tree-sitter/tree-sitter-python/blob/master/grammar.js
"""

from __future__ import annotations

from typing import Iterator, NamedTuple

import tree_sitter_python
from tree_sitter import Language, Node

PYTHON = Language(tree_sitter_python.language())


def _field(name: str) -> int:
    number = PYTHON.field_id_for_name(name)
    assert number is not None, name
    return number


_FUNCTION, _ARGUMENTS, _NAME, _VALUE = map(_field, ("function", "arguments", "name", "value"))
_OBJECT, _ATTRIBUTE, _LEFT, _RIGHT = map(_field, ("object", "attribute", "left", "right"))
_ALIAS, _MODULE_NAME, _KEY, _SUBSCRIPT = map(_field, ("alias", "module_name", "key", "subscript"))
_TYPE = _field("type")
_BODY, _ALTERNATIVE, _CONDITION, _PARAMETERS = map(_field, ("body", "alternative", "condition", "parameters"))


# Nodes that hold statements, and the statements that import.
BLOCKS = ("block", "module")
IMPORTS = ("import_statement", "import_from_statement", "future_import_statement")


class Attribute(NamedTuple):
    """`tf.train`: the expression before the dot, and the identifier after it."""

    object: Node
    leaf: Node


class Pair(NamedTuple):
    """`name=value` of a call, or `key: value` of a dict display."""

    name: Node
    value: Node


class Loop(NamedTuple):
    """`for target in iterable`, as a statement or in a comprehension.

    Attributes:
        target: The loop variable, or several.
        iterable: The expression that is iterated over.
        body: The statement's block; None in a comprehension.
        otherwise: The statement's `else` block; None if it has none.
    """

    target: Node
    iterable: Node
    body: Node | None
    otherwise: Node | None


class ImportItem(NamedTuple):
    """One name of an import statement: `a.b as c`, `name`.

    Attributes:
        node: The item's node.
        name: The imported dotted name.
        alias: The identifier after `as`; None if there is none.
    """

    node: Node
    name: Node
    alias: Node | None


# --- calls ------------------------------------------------------------------------------------------------------------


def callee(call: Node) -> Node:
    """Returns the expression that a call calls."""
    return _part(call, _FUNCTION)


def call_of(node: Node) -> Node | None:
    """Returns the call of an expression; None if it isn't called."""
    above = node.parent
    return above if above is not None and above.type == "call" and _part(above, _FUNCTION) == node else None


def arguments(call: Node) -> list[Node]:
    """Returns the arguments of a call, without comments."""
    return without_comments(call.child_by_field_id(_ARGUMENTS))


def argument_value(argument: Node) -> Node:
    """Returns the value of an argument, positional or by keyword."""
    return _part(argument, _VALUE) if argument.type == "keyword_argument" else argument


def is_splat(argument: Node) -> bool:
    """Returns True if an argument is `*several` or `**several`."""
    return argument.type in ("list_splat", "dictionary_splat")


def keyword(argument: Node) -> Pair | None:
    """Returns a keyword argument's name and value; None for other arguments."""
    if argument.type != "keyword_argument":
        return None
    return Pair(_part(argument, _NAME), _part(argument, _VALUE))


def pairs(dictionary: Node) -> list[Pair]:
    """Returns the entries of a dict display, without `**others`."""
    return [
        Pair(_part(child, _KEY), _part(child, _VALUE)) for child in dictionary.named_children if child.type == "pair"
    ]


def passed_keys(call: Node) -> Iterator[Node]:
    """Yields the keys passed to a call, as keywords or in dict displays: `dict(a=1)`, `d.update({'a': 1})`."""
    for argument in arguments(call):
        named = keyword(argument)
        if named is not None:
            yield named.name
        elif argument.type == "dictionary":
            yield from (pair.name for pair in pairs(argument))


# --- attributes and subscripts ----------------------------------------------------------------------------------------


def attribute(node: Node) -> Attribute | None:
    """Returns the two parts of an attribute; None for any other expression."""
    if node.type != "attribute":
        return None
    return Attribute(_part(node, _OBJECT), _part(node, _ATTRIBUTE))


def leaf_of(node: Node) -> Node:
    """Returns the last name of a dotted expression: `Server` of `tf.train.Server`; other expressions unchanged."""
    return _part(node, _ATTRIBUTE) if node.type == "attribute" else node


def root_of(node: Node) -> Node:
    """Returns the first part of a dotted expression: `tf` of `tf.train.Server`."""
    while node.type == "attribute":
        node = _part(node, _OBJECT)
    return node


def attribute_named(name: Node) -> Node | None:
    """Returns the attribute whose last name is this identifier; None if there is none."""
    above = name.parent
    return above if above is not None and above.type == "attribute" and _part(above, _ATTRIBUTE) == name else None


def attribute_of(node: Node) -> Node | None:
    """Returns the attribute that is read from an expression; None if there is none."""
    above = node.parent
    return above if above is not None and above.type == "attribute" and _part(above, _OBJECT) == node else None


def subscripted(subscript: Node) -> Node:
    """Returns the expression before a subscript's bracket: `gpus` of `gpus[0]`."""
    return _part(subscript, _VALUE)


def indices(subscript: Node) -> list[Node]:
    """Returns the expressions in a subscript's brackets."""
    return subscript.children_by_field_id(_SUBSCRIPT)


def subscript_of(node: Node) -> Node | None:
    """Returns the subscript of an expression; None if there is none."""
    above = node.parent
    return above if above is not None and above.type == "subscript" and _part(above, _VALUE) == node else None


# --- assignments ------------------------------------------------------------------------------------------------------


def target(assignment: Node) -> Node:
    """Returns the left side of an assignment of any kind."""
    return _part(assignment, _NAME if assignment.type == "named_expression" else _LEFT)


def assigned(assignment: Node) -> Node | None:
    """Returns the value of an assignment, through `a = b = value`; None for an annotation alone."""
    value = assignment.child_by_field_id(_VALUE if assignment.type == "named_expression" else _RIGHT)
    while value is not None and value.type == "assignment":
        inner = value.child_by_field_id(_RIGHT)
        if inner is None:
            break
        value = inner
    return value


def assignment_to(node: Node) -> Node | None:
    """Returns the assignment whose left side is this expression; None if there is none."""
    above = node.parent
    return above if above is not None and above.type == "assignment" and _part(above, _LEFT) == node else None


def assignment_of(value: Node) -> Node | None:
    """Returns the assignment whose right side is this expression; None if there is none."""
    above = value.parent
    return (
        above if above is not None and above.type == "assignment" and above.child_by_field_id(_RIGHT) == value else None
    )


# --- imports ----------------------------------------------------------------------------------------------------------


def import_items(statement: Node) -> list[ImportItem]:
    """Returns the names of an import statement, in order; none for a star."""
    return [import_item(node) for node in statement.children_by_field_id(_NAME)]


def import_item(node: Node) -> ImportItem:
    """Returns one name of an import statement, from its node: a dotted name, or one with an alias."""
    if node.type == "aliased_import":
        return ImportItem(node, _part(node, _NAME), _part(node, _ALIAS))
    return ImportItem(node, node, None)


def imported_module(statement: Node) -> Node | None:
    """Returns the module of `from module import …`; None for other statements."""
    return statement.child_by_field_id(_MODULE_NAME)


# --- blocks, loops, branches, definitions -----------------------------------------------------------------------------


def loop(node: Node) -> Loop:
    """Returns the parts of a `for` statement, or of a comprehension's `for`."""
    return Loop(
        _part(node, _LEFT), _part(node, _RIGHT), node.child_by_field_id(_BODY), node.child_by_field_id(_ALTERNATIVE)
    )


def condition(node: Node) -> Node | None:
    """Returns the condition of an `if`, `elif` or `while`; None for other nodes."""
    return node.child_by_field_id(_CONDITION)


def body(node: Node) -> Node | None:
    """Returns the block of a definition or a statement, or a lambda's expression; None for other nodes."""
    return node.child_by_field_id(_BODY)


def parameters(function: Node) -> Node | None:
    """Returns the parameters of a function or a lambda; None for other nodes, and a lambda without parameters."""
    return function.child_by_field_id(_PARAMETERS)


def annotation(parameter: Node) -> Node | None:
    """Returns the annotation of a parameter; None if it has none."""
    return parameter.child_by_field_id(_TYPE)


def name_of(node: Node) -> Node | None:
    """Returns the name of a definition, a keyword argument or a parameter with a default; None for other nodes."""
    return node.child_by_field_id(_NAME)


def value_of(node: Node) -> Node | None:
    """Returns the value of a keyword argument, or a parameter's default; None for other nodes."""
    return node.child_by_field_id(_VALUE)


# --- any node ---------------------------------------------------------------------------------------------------------


def ancestors(node: Node) -> Iterator[Node]:
    """Yields the nodes around a node, from the inside out."""
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def enclosing(node: Node, *types: str) -> Node | None:
    """Returns the innermost node around a node that has one of these types."""
    return next((above for above in ancestors(node) if above.type in types), None)


def is_statement(node: Node) -> bool:
    """Returns True if an expression is a statement by itself."""
    above = node.parent
    return above is not None and above.type == "expression_statement" and above.named_child_count == 1


def without_comments(node: Node | None) -> list[Node]:
    """Returns a node's named children without comments; none for None."""
    return [] if node is None else [child for child in node.named_children if child.type != "comment"]


def comments(node: Node) -> Iterator[Node]:
    """Yields the comments inside a node, in order."""
    for child in node.named_children:
        if child.type == "comment":
            yield child
        else:
            yield from comments(child)


def is_field(parent: Node, name: str, node: Node) -> bool:
    """Returns True if a node is a child in the named field."""
    return node in parent.children_by_field_name(name)


def _part(node: Node, field: int) -> Node:
    child = node.child_by_field_id(field)
    assert child is not None, node.type
    return child
