"""Code that knows of both TensorFlows already: branches under a test of the version, and what is tried.

`tf.executing_eagerly()` asks for the mode and not for the version: graph mode is there in TensorFlow 2 too, and the
branch for it runs as soon as a program switches to it.
"""

from __future__ import annotations

import re
from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.source.names import UNKNOWN, Names
from tf1mem.codemod.source.paths import is_compat_v1, tf1_name
from tf1mem.codemod.source.syntax import (
    IMPORTS,
    ancestors,
    attribute_of,
    body,
    condition,
    import_items,
    imported_module,
    without_comments,
)  # fmt: skip
from tf1mem.codemod.tables import tf1_names

# How programs ask: tf.__version__, tf.VERSION, hasattr(tf, …), tf2.enabled(), and flags and functions that are named
# after it, in whichever part of the name.
_BY_NAME = (b"__version__", b"VERSION", b"hasattr", b"tf2.enabled", b"is_v")
# Begun at the rare letters that end the name of TensorFlow, it is searched several times faster.
_NAMED_AFTER = (
    rb"[fwFW](?:(?<=tf)|(?<=TF)|(?<=tensorflow)|(?<=TENSORFLOW))"
    rb"(?:_?(?:v|V|ver|VER|major|MAJOR|version|VERSION)?_?[12]|_(?:major_)?(?:version|VERSION|ver))"
)
# What a flag is made of that is tested later: `NEW = tf.__version__ >= "2"`; and what a helper returns.
_KEPT = rb"__version__|\bVERSION\b|hasattr|\btf2\.enabled\b"
KEPT = re.compile(_KEPT)
ASKS = re.compile(_KEPT + rb"|\bis_v[12](?:_0)?\b|" + _NAMED_AFTER)
_AFTER = re.compile(_NAMED_AFTER)
# What is raised for a name that a module hasn't got, and for a module, or a name of one, that can't be imported.
_NO_NAME = (b"AttributeError", b"NameError")
_NO_MODULE = (b"ImportError", b"ModuleNotFoundError")
_SIMPLE = ("expression_statement", "return_statement", "delete_statement", *IMPORTS)


def may_ask(text: bytes) -> bool:
    """Whether TensorFlow's version may be asked for anywhere in a text: a fast look, before `ASKS` is searched."""
    return any(word in text for word in _BY_NAME) or _AFTER.search(text) is not None


def may_try(text: bytes) -> bool:
    """Whether what is missing may be expected anywhere in a text."""
    return any(word in text for word in (*_NO_NAME, *_NO_MODULE))


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


def has_helper(names: Names) -> bool:
    """Whether the module has a function that says which TensorFlow it is: `def is_v2_0(): return tf2.enabled()`."""
    return may_ask(names.source.text) and any(
        _says_version(names, function)
        for word in set(re.findall(rb"(?m)^[ \t]*def[ \t]+(\w+)", names.source.text))
        for function in (binding.statement for binding in names.bindings(word))
        if function.type == "function_definition"
    )


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
            if binding.statement.type == "function_definition" and _says_version(names, binding.statement):
                return True
    return False


def _says_version(names: Names, function: Node) -> bool:
    """Whether one of a function's own statements returns what TensorFlow's version was asked for."""
    return any(
        statement.type == "return_statement"
        and KEPT.search(names.source.text_of(statement))
        and any(True for _ in _tensorflow(names, statement))
        for statement in without_comments(body(function))
    )


def _identifiers(node: Node) -> list[Node]:
    if node.type == "identifier":
        return [node]
    return [found for child in node.named_children for found in _identifiers(child)]


def _expects_missing(names: Names, statement: Node) -> bool:
    """Whether what may be missing is TensorFlow's, and not an attribute or a module of the program's own."""
    clauses = [clause for clause in statement.named_children if clause.type == "except_clause"]
    heads = b"".join(names.source.text_of(part) for clause in clauses for part in clause.named_children[:-1])
    tried = body(statement)
    if tried is None or not may_try(heads):
        return False
    found = list(_tensorflow(names, tried))
    if not found:
        return False
    if any(path for clause in clauses for path in _tensorflow(names, clause) if not _is_gone(path)):
        return True  # there is another way
    if not any(word in heads for word in _NO_NAME):
        # Which Keras there is says nothing of TensorFlow's version.
        imported = [tf1_name(path) or "" for statement in _imports(tried) for path in _imported(names, statement)]
        return any(name and not name.startswith("keras.") for name in imported)
    return all(part.type in _SIMPLE and any(True for _ in _tensorflow(names, part)) for part in without_comments(tried))


def _tensorflow(names: Names, node: Node) -> Iterator[str]:
    """The paths of TensorFlow's and Keras's that are used or imported inside a node."""
    for statement in _imports(node):
        yield from _imported(names, statement)
    for identifier in _identifiers(node):
        used = identifier
        if not names.is_use(identifier):
            continue
        above = attribute_of(used)
        while above is not None:
            used, above = above, attribute_of(above)
        yield from (path for path in names.paths(used) if path != UNKNOWN and tf1_name(path) is not None)


def _imports(node: Node) -> list[Node]:
    if node.type in IMPORTS:
        return [node]
    return [found for child in node.named_children for found in _imports(child)]


def _imported(names: Names, statement: Node) -> Iterator[str]:
    module = imported_module(statement)
    above = [] if module is None else [names.source.decoded(module)]
    for item in import_items(statement):
        path = ".".join([*above, names.source.decoded(item.name)])
        if tf1_name(path) is not None:
            yield path


def _is_gone(path: str) -> bool:
    return not is_compat_v1(path) and tf1_names.gone(tf1_name(path) or "")
