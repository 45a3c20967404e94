"""Findings of rules, which are rewrites and places that need a decision by hand; and remarks of no rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from tree_sitter import Node

from tf1mem.codemod.results import Edit, Remark, Result

UNREADABLE, UNSAFE = "TFM001", "TFM002"
# The remarks that belong to no rule -> name, meaning, reason and remedy, for people.
OWN_REMARKS = {
    UNREADABLE: (
        "unreadable",
        "Source that doesn't parse is left unchanged.",
        "The source around it is rewritten. Python 2 and a notebook's magics do parse.",
        "Fix the syntax, and run the codemod again.",
    ),
    UNSAFE: (
        "unsafe",
        "A change that would do harm is left out.",
        "Two rules would rewrite the same place, a change would reach beyond its cell, or the result would not parse.",
        "Run the codemod again on its result, or rewrite it by hand.",
    ),
}


@dataclass(frozen=True)
class Rewrite:
    """One construct that a rule rewrites as a whole.

    Attributes:
        start: Offset at which the construct begins.
        message: The change, in one line.
        edits: The edits, in the module's offsets.
        imports_tf1mem: True if the result needs `import tf1mem`.
    """

    start: int
    message: str
    edits: tuple[Edit, ...]
    imports_tf1mem: bool = False


@dataclass(frozen=True)
class Note:
    """A place that needs a decision by hand, shown as a remark: offset, description and remedy."""

    start: int
    message: str
    remedy: str


Finding = Union[Rewrite, Note]


def rewrite(node: Node, message: str, *edits: Edit, imports_tf1mem: bool = False) -> Rewrite:
    """Returns a rewrite of the construct that begins at `node`."""
    return Rewrite(node.start_byte, message, edits, imports_tf1mem)


def remark(node: Node, message: str, remedy: str) -> Note:
    """Returns a remark at `node`."""
    return Note(node.start_byte, message, remedy)


def unread(source: bytes, message: str) -> Result:
    """Returns the result for a file that can't be read: no change, and a remark with the reason.

    Args:
        source: The file's bytes.
        message: The reason, as the remark states it.
    """
    return Result(source, (), (Remark(UNREADABLE, 1, 1, message, "Look at it by hand."),))
