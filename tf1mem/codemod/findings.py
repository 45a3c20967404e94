"""The findings of a rule in a module: rewrites, and places that need a decision by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from tree_sitter import Node

from tf1mem.codemod.results import Edit


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
