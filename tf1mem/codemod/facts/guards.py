"""Code that knows of both TensorFlows already: branches under a test of the version, and what is tried."""

from __future__ import annotations

import re

from tree_sitter import Node

from tf1mem.codemod.source.names import Names
from tf1mem.codemod.source.syntax import ancestors, is_field

# How programs ask: tf.__version__, tf.VERSION, hasattr(tf, …), tf.executing_eagerly(), tf2.enabled(), and flags and
# functions that are named after it, in whichever part of the name.
_BY_NAME = (b"__version__", b"VERSION", b"hasattr", b"executing_eagerly")
# Begun at the rare letters that end the name of TensorFlow, it is searched several times faster.
_NAMED_AFTER = (
    rb"[fwFW](?:(?<=tf)|(?<=TF)|(?<=tensorflow)|(?<=TENSORFLOW))"
    rb"(?:_?(?:v|V|ver|VER|major|MAJOR|version|VERSION)?_?[12]|_(?:major_)?(?:version|VERSION|ver))"
)
# What a flag is made of that is tested later: `NEW = tf.__version__ >= "2"`.
_KEPT = rb"__version__|\bVERSION\b|hasattr"
KEPT = re.compile(_KEPT)
ASKS = re.compile(_KEPT + rb"|executing_eagerly|" + _NAMED_AFTER)
_AFTER = re.compile(_NAMED_AFTER)
_MISSING = (b"AttributeError", b"ImportError", b"ModuleNotFoundError", b"NameError")


def may_ask(text: bytes) -> bool:
    """Whether TensorFlow's version may be asked for anywhere in a text: a fast look, before `ASKS` is searched."""
    return any(word in text for word in _BY_NAME) or _AFTER.search(text) is not None


def may_try(text: bytes) -> bool:
    """Whether what is missing may be expected anywhere in a text."""
    return any(word in text for word in _MISSING)


def guarded(names: Names, node: Node) -> bool:
    """Whether a node runs only where a test of TensorFlow's version, or an attempt, lets it.

    Args:
        names: The module's names.
        node: Any node in it.
    """
    child = node
    for above in ancestors(node):
        if above.type in ("if_statement", "elif_clause", "while_statement") and _asks_version(names, above, child):
            return True
        if above.type == "conditional_expression" and len(above.named_children) == 3:
            condition = above.named_children[1]
            if condition != child and _asks(names, condition):
                return True
        if above.type == "try_statement" and _expects_missing(names, above):
            return True
        child = above
    return False


def _asks_version(names: Names, statement: Node, child: Node) -> bool:
    if is_field(statement, "condition", child):
        return False
    conditions = [statement.child_by_field_name("condition")]
    if child.type in ("else_clause", "elif_clause"):
        # What the branches before it asked holds here, the other way round.
        for other in statement.children_by_field_name("alternative"):
            if other.start_byte < child.start_byte and other.type == "elif_clause":
                conditions.append(other.child_by_field_name("condition"))
    return any(condition is not None and _asks(names, condition) for condition in conditions)


def _asks(names: Names, condition: Node) -> bool:
    if ASKS.search(names.source.text_of(condition)):
        return True
    for node in _identifiers(condition):
        for binding in names.visible(node) if names.is_use(node) else ():
            if binding.value is not None and KEPT.search(names.source.text_of(binding.value)):
                return True
    return False


def _identifiers(node: Node) -> list[Node]:
    if node.type == "identifier":
        return [node]
    return [found for child in node.named_children for found in _identifiers(child)]


def _expects_missing(names: Names, statement: Node) -> bool:
    for clause in statement.named_children:
        if clause.type == "except_clause":
            head = clause.named_children[:-1]
            if any(may_try(names.source.text_of(part)) for part in head):
                return True
    return False
