"""What TensorFlow's public API calls something, in whichever version, and how a file would spell another name.

`paths.tf1_name` answers for TensorFlow 1, in whose terms TensorFlow's inside counts as public. Here it doesn't: the
module behind `tensorflow.python.framework.config` has names that `tf.config` never had.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from tf1mem.codemod.source.names import UNKNOWN
from tf1mem.codemod.source.paths import HOME

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

_ROOTS = ("tensorflow", "tensorflow_core", HOME)
_VERSIONS = ("compat.v1", "compat.v2")


def of_path(path: str) -> str | None:
    """The public name of a dotted path, such as "config.experimental.set_memory_growth"; None if not TensorFlow's.

    Args:
        path: As `Names.paths` gives it. `tensorflow.python…` keeps that name: "python.framework.config.…".
    """
    for root in _ROOTS:
        if path == root or path.startswith(root + "."):
            rest = path[len(root) + 1 :]
            break
    else:
        return None
    while rest.startswith(_VERSIONS) and rest[len(_VERSIONS[0]) :][:1] in ("", "."):
        rest = rest[len(_VERSIONS[0]) + 1 :]
    return rest


def public_name(facts: Facts, node: Node) -> str | None:
    """The public name of an expression, without "tensorflow."; None where it isn't TensorFlow's for sure.

    Args:
        facts: The module's facts.
        node: Any expression.
    """
    found = {None if path == UNKNOWN else of_path(path) for path in facts.names.paths(node)}
    return next(iter(found)) if len(found) == 1 else None


def called(facts: Facts, call: Node) -> str | None:
    """The public name of what a call calls."""
    function = call.child_by_field_name("function")
    return None if function is None else public_name(facts, function)


def home_of(facts: Facts, node: Node, name: str) -> tuple[Node, str] | None:
    """The part of an expression from which another public name can be reached, and the rest of that name.

    Args:
        facts: The module's facts.
        node: An expression of TensorFlow's: `tf.config.set_memory_growth`.
        name: The other name: "config.experimental.set_memory_growth".

    Returns:
        For these (`tf.config`, "experimental.set_memory_growth"); None where nothing in the expression leads there.
    """
    holder = node.child_by_field_name("object") if node.type == "attribute" else None
    while holder is not None:
        found = public_name(facts, holder)
        if found == "":
            return holder, name
        if found is not None and name.startswith(found + "."):
            return holder, name[len(found) + 1 :]
        holder = holder.child_by_field_name("object") if holder.type == "attribute" else None
    return None


def spelled(facts: Facts, node: Node, name: str) -> bytes | None:
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
