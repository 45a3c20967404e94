"""What a rule finds in a module: constructs that it rewrites, and what it leaves for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from tree_sitter import Node

from tf1mem.codemod.results import Edit


@dataclass(frozen=True)
class Rewrite:
    """One construct that a rule rewrites, all of it.

    Attributes:
        start: Where the construct begins.
        message: What becomes of it.
        edits: In the module's offsets.
        imports_tf1mem: Whether it needs `import tf1mem`.
    """

    start: int
    message: str
    edits: tuple[Edit, ...]
    imports_tf1mem: bool = False


@dataclass(frozen=True)
class Note:
    """Something that a rule leaves for a person: where, what, and what to do by hand."""

    start: int
    message: str
    remedy: str


Finding = Union[Rewrite, Note]


def rewrite(node: Node, message: str, *edits: Edit, imports_tf1mem: bool = False) -> Rewrite:
    """A construct that is rewritten; `node` is where it begins."""
    return Rewrite(node.start_byte, message, edits, imports_tf1mem)


def remark(node: Node, message: str, remedy: str) -> Note:
    """Something left for a person; `node` is where it is."""
    return Note(node.start_byte, message, remedy)
