"""What TensorFlow's public API calls an expression, in whichever version, and how a file would spell another name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from tf1mem.codemod.source.paths import public_name
from tf1mem.codemod.source.syntax import attribute, callee

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts


def public_name_of(facts: Facts, node: Node) -> str | None:
    """The public name of an expression, without "tensorflow."; None where it isn't TensorFlow's for sure.

    Args:
        facts: The module's facts.
        node: Any expression.
    """
    found = {public_name(path) for path in facts.names.paths(node)}
    return next(iter(found)) if len(found) == 1 else None


def called(facts: Facts, call: Node) -> str | None:
    """The public name of what a call calls."""
    return public_name_of(facts, callee(call))


def home_of(facts: Facts, node: Node, name: str) -> tuple[Node, str] | None:
    """The part of an expression from which another public name can be reached, and the rest of that name.

    Args:
        facts: The module's facts.
        node: An expression of TensorFlow's: `tf.config.set_memory_growth`.
        name: The other name: "config.experimental.set_memory_growth".

    Returns:
        For these (`tf.config`, "experimental.set_memory_growth"); None where nothing in the expression leads there.
    """
    parts = attribute(node)
    while parts is not None:
        found = public_name_of(facts, parts.object)
        if found == "":
            return parts.object, name
        if found is not None and name.startswith(found + "."):
            return parts.object, name[len(found) + 1 :]
        parts = attribute(parts.object)
    return None


def spelling(facts: Facts, node: Node, name: str) -> bytes | None:
    """Another public name as the file would spell it, going by how it spells an expression of TensorFlow's.

    Args:
        facts: The module's facts.
        node: That expression.
        name: The other name.

    Returns:
        None where nothing in the expression leads there.
    """
    home = home_of(facts, node, name)
    return None if home is None else facts.text(home[0]) + b"." + home[1].encode()
