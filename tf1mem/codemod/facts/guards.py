"""Code that knows of both TensorFlows already: branches under a test of the version, and what is tried."""

from __future__ import annotations

import re

from tree_sitter import Node

from tf1mem.codemod.source.names import Names
from tf1mem.codemod.source.syntax import ancestors, condition

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
            asked = above.named_children[1]
            if asked != child and _asks(names, asked):
                return True
        if above.type == "try_statement" and _expects_missing(names, above):
            return True
        child = above
    return False


def _asks_version(names: Names, statement: Node, child: Node) -> bool:
    conditions = [condition(statement)]
    if conditions == [child]:
        return False
    if child.type in ("else_clause", "elif_clause"):
        # What the branches before it asked holds here, the other way round.
        before = [other for other in statement.named_children if other.start_byte < child.start_byte]
        conditions += [condition(other) for other in before if other.type == "elif_clause"]
    return any(asked is not None and _asks(names, asked) for asked in conditions)


def _asks(names: Names, asked: Node) -> bool:
    if ASKS.search(names.source.text_of(asked)):
        return True
    for node in _identifiers(asked):
        for binding in names.visible(node) if names.is_use(node) else ():
            if binding.value is not None and KEPT.search(names.source.text_of(binding.value)):
                return True
    return False


def _identifiers(node: Node) -> list[Node]:
    if node.type == "identifier":
        return [node]
    return [found for child in node.named_children for found in _identifiers(child)]


def _expects_missing(names: Names, statement: Node) -> bool:
    clauses = [clause for clause in statement.named_children if clause.type == "except_clause"]
    heads = [part for clause in clauses for part in clause.named_children[:-1]]
    return any(may_try(names.source.text_of(part)) for part in heads)
