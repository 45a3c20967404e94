"""What tree-sitter's nodes are made of: typed views of calls, attributes, assignments, imports, loops and the like.

A complete node has all of its required parts, in broken source too, where tree-sitter adds nodes that are missing.
Parts are asked for by their number, which takes half the time of asking by name, and it is asked often.
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


# What holds statements, and the statements that import.
BLOCKS = ("block", "module")
IMPORTS = ("import_statement", "import_from_statement", "future_import_statement")


class Attribute(NamedTuple):
    """`tf.train`: what is asked, and the identifier of what it is asked for."""

    object: Node
    leaf: Node


class Pair(NamedTuple):
    """`name=value` of a call, or `key: value` of a dict that is written out."""

    name: Node
    value: Node


class Loop(NamedTuple):
    """`for target in iterable`, as a statement or in a comprehension.

    Attributes:
        target: What each item is given to.
        iterable: What is gone through.
        body: The statement's block; None in a comprehension.
        otherwise: The statement's `else`; None where it has none.
    """

    target: Node
    iterable: Node
    body: Node | None
    otherwise: Node | None


class ImportItem(NamedTuple):
    """One of the names of an import statement: `a.b as c`, `name`.

    Attributes:
        node: The whole of it.
        name: What is imported, a dotted name.
        alias: The identifier behind `as`; None where there is none.
    """

    node: Node
    name: Node
    alias: Node | None


# --- calls ------------------------------------------------------------------------------------------------------------


def callee(call: Node) -> Node:
    """What a call calls."""
    return _part(call, _FUNCTION)


def call_of(node: Node) -> Node | None:
    """The call of an expression; None where it isn't called."""
    above = node.parent
    return above if above is not None and above.type == "call" and _part(above, _FUNCTION) == node else None


def arguments(call: Node) -> list[Node]:
    """The arguments of a call, comments left out."""
    return without_comments(call.child_by_field_id(_ARGUMENTS))


def given_by(argument: Node) -> Node:
    """The value that an argument gives, by its name or by its place."""
    return _part(argument, _VALUE) if argument.type == "keyword_argument" else argument


def is_splat(argument: Node) -> bool:
    """Whether an argument is `*several` or `**several`."""
    return argument.type in ("list_splat", "dictionary_splat")


def keyword(argument: Node) -> Pair | None:
    """An argument that is given by its name; None for others."""
    if argument.type != "keyword_argument":
        return None
    return Pair(_part(argument, _NAME), _part(argument, _VALUE))


def pairs(dictionary: Node) -> list[Pair]:
    """The entries of a dict that is written out, but for `**others`."""
    return [
        Pair(_part(child, _KEY), _part(child, _VALUE)) for child in dictionary.named_children if child.type == "pair"
    ]


def keys_given(call: Node) -> Iterator[Node]:
    """The keys that a call is given by name, or in dicts that are written out: `dict(a=1)`, `d.update({'a': 1})`."""
    for argument in arguments(call):
        named = keyword(argument)
        if named is not None:
            yield named.name
        elif argument.type == "dictionary":
            yield from (pair.name for pair in pairs(argument))


# --- attributes and subscripts ----------------------------------------------------------------------------------------


def attribute(node: Node) -> Attribute | None:
    """The two parts of an attribute; None for any other expression."""
    if node.type != "attribute":
        return None
    return Attribute(_part(node, _OBJECT), _part(node, _ATTRIBUTE))


def leaf_of(node: Node) -> Node:
    """The last name of a dotted expression: the `Server` of `tf.train.Server`; the expression if it isn't one."""
    return _part(node, _ATTRIBUTE) if node.type == "attribute" else node


def root_of(node: Node) -> Node:
    """What a dotted expression begins with: the `tf` of `tf.train.Server`."""
    while node.type == "attribute":
        node = _part(node, _OBJECT)
    return node


def attribute_named(name: Node) -> Node | None:
    """The attribute whose last name an identifier is; None where it is none's."""
    above = name.parent
    return above if above is not None and above.type == "attribute" and _part(above, _ATTRIBUTE) == name else None


def attribute_of(node: Node) -> Node | None:
    """The attribute that is asked of an expression; None where none is."""
    above = node.parent
    return above if above is not None and above.type == "attribute" and _part(above, _OBJECT) == node else None


def subscripted(subscript: Node) -> Node:
    """What a subscript is taken of: the `gpus` of `gpus[0]`."""
    return _part(subscript, _VALUE)


def indices(subscript: Node) -> list[Node]:
    """What stands in a subscript's brackets."""
    return subscript.children_by_field_id(_SUBSCRIPT)


def subscript_of(node: Node) -> Node | None:
    """The subscript that is taken of an expression; None where none is."""
    above = node.parent
    return above if above is not None and above.type == "subscript" and _part(above, _VALUE) == node else None


# --- assignments ------------------------------------------------------------------------------------------------------


def target(assignment: Node) -> Node:
    """The left side of an assignment, of any kind."""
    return _part(assignment, _NAME if assignment.type == "named_expression" else _LEFT)


def assigned(assignment: Node) -> Node | None:
    """What an assignment gives, through `a = b = value`; None for a mere annotation."""
    value = assignment.child_by_field_id(_VALUE if assignment.type == "named_expression" else _RIGHT)
    while value is not None and value.type == "assignment":
        inner = value.child_by_field_id(_RIGHT)
        if inner is None:
            break
        value = inner
    return value


def assignment_to(node: Node) -> Node | None:
    """The assignment whose left side an expression is; None where it isn't given anything by one."""
    above = node.parent
    return above if above is not None and above.type == "assignment" and _part(above, _LEFT) == node else None


def assignment_of(value: Node) -> Node | None:
    """The assignment whose right side an expression is; None where it isn't given to anything by one."""
    above = value.parent
    return (
        above if above is not None and above.type == "assignment" and above.child_by_field_id(_RIGHT) == value else None
    )


# --- imports ----------------------------------------------------------------------------------------------------------


def import_items(statement: Node) -> list[ImportItem]:
    """The names of an import statement, in order; none for a star."""
    return [import_item(node) for node in statement.children_by_field_id(_NAME)]


def import_item(node: Node) -> ImportItem:
    """One name of an import statement, by its node: a dotted name, or one with an alias."""
    if node.type == "aliased_import":
        return ImportItem(node, _part(node, _NAME), _part(node, _ALIAS))
    return ImportItem(node, node, None)


def imported_module(statement: Node) -> Node | None:
    """The module of `from module import …`; None for other statements."""
    return statement.child_by_field_id(_MODULE_NAME)


# --- blocks, loops, branches, definitions -----------------------------------------------------------------------------


def loop(node: Node) -> Loop:
    """The parts of a `for` statement, or of the `for` of a comprehension."""
    return Loop(
        _part(node, _LEFT), _part(node, _RIGHT), node.child_by_field_id(_BODY), node.child_by_field_id(_ALTERNATIVE)
    )


def condition(node: Node) -> Node | None:
    """What an `if`, `elif` or `while` asks; None for other nodes."""
    return node.child_by_field_id(_CONDITION)


def body(node: Node) -> Node | None:
    """The block of a definition or a statement, or a lambda's expression; None for nodes that have none."""
    return node.child_by_field_id(_BODY)


def parameters(function: Node) -> Node | None:
    """The parameters of a function or a lambda; None for other nodes, and a lambda that has none."""
    return function.child_by_field_id(_PARAMETERS)


def annotation(parameter: Node) -> Node | None:
    """The type that a parameter is given; None where it has none."""
    return parameter.child_by_field_id(_TYPE)


def name_of(node: Node) -> Node | None:
    """The name of a definition, a keyword argument, or a parameter that has a default; None for other nodes."""
    return node.child_by_field_id(_NAME)


def value_of(node: Node) -> Node | None:
    """The value of a keyword argument, or a parameter's default; None for other nodes."""
    return node.child_by_field_id(_VALUE)


# --- any node ---------------------------------------------------------------------------------------------------------


def ancestors(node: Node) -> Iterator[Node]:
    """The nodes that hold a node, from the inside out."""
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def enclosing(node: Node, *types: str) -> Node | None:
    """The innermost node around a node that is of one of these types."""
    return next((above for above in ancestors(node) if above.type in types), None)


def is_statement(node: Node) -> bool:
    """Whether an expression is a statement by itself."""
    above = node.parent
    return above is not None and above.type == "expression_statement" and above.named_child_count == 1


def without_comments(node: Node | None) -> list[Node]:
    """A node's named children but for the comments; none where there is no node."""
    return [] if node is None else [child for child in node.named_children if child.type != "comment"]


def comments(node: Node) -> Iterator[Node]:
    """The comments inside a node, in order."""
    for child in node.named_children:
        if child.type == "comment":
            yield child
        else:
            yield from comments(child)


def is_field(parent: Node, name: str, node: Node) -> bool:
    """Whether a node is the child of that field."""
    return node in parent.children_by_field_name(name)


def _part(node: Node, field: int) -> Node:
    child = node.child_by_field_id(field)
    assert child is not None, node.type
    return child
