"""The findings of a rule in a module: rewrites, and places that need a decision by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from tree_sitter import Node

from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.syntax import callee

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts


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
    """A place that needs a decision by hand: offset, description and remedy."""

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


def line_of(facts: Facts, node: Node) -> str:
    """Returns a node's place, for people: "line 3", or "line 3 of cell 2"."""
    line, _, cell = facts.extract.locate(node.start_byte)
    return f"line {line}" if cell is None else f"line {line} of cell {cell}"


def shown(facts: Facts, node: Node) -> str:
    """Returns the text of a node, or of the function that a call calls, on one line: "tf.constant", for people."""
    text = " ".join(facts.decoded(callee(node) if node.type == "call" else node).split())
    return text if len(text) <= 60 else text[:57] + "..."
