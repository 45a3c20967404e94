"""Finds the public TensorFlow name of an expression, and how the same file spells another such name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from tf1mem.codemod.source.paths import public_name
from tf1mem.codemod.source.syntax import attribute, callee

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts


def public_name_of(facts: Facts, node: Node) -> str | None:
    """Returns the public name of an expression, without "tensorflow."; None if it isn't surely TensorFlow's.

    Args:
        facts: The module's facts.
        node: Any expression.
    """
    names = {public_name(path) for path in facts.names.paths(node)}
    return next(iter(names)) if len(names) == 1 else None


def called(facts: Facts, call: Node) -> str | None:
    """Returns the public name of the function that a call calls."""
    return public_name_of(facts, callee(call))


def home_of(facts: Facts, node: Node, name: str) -> tuple[Node, str] | None:
    """Returns the part of an expression from which another public name can be reached, and the remaining name.

    Args:
        facts: The module's facts.
        node: An expression that starts at TensorFlow, also of a name that never existed: `tf.config.set_memory_growth`.
        name: The other name: "config.experimental.set_memory_growth".

    Returns:
        In this example (`tf.config`, "experimental.set_memory_growth"); None if no part leads to the name.
    """
    parts = attribute(node)
    while parts is not None:
        reached = public_name_of(facts, parts.object)
        if reached == "":
            return parts.object, name
        if reached is not None and name.startswith(reached + "."):
            return parts.object, name[len(reached) + 1 :]
        parts = attribute(parts.object)
    return None


def spelling(facts: Facts, node: Node, name: str) -> bytes | None:
    """Returns another public name in the file's spelling, derived from an expression of TensorFlow.

    Args:
        facts: The module's facts.
        node: The expression: `tf.config.set_memory_growth`.
        name: The other name: "config.experimental.set_memory_growth".

    Returns:
        The spelling, such as b"tf.config.experimental.set_memory_growth"; None if no part of the expression leads to
        the name.
    """
    home = home_of(facts, node, name)
    return None if home is None else facts.text(home[0]) + b"." + home[1].encode()
