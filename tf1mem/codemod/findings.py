"""What a rule finds in a module: constructs that it rewrites, and what it leaves for a person."""

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


def line_of(facts: Facts, node: Node) -> str:
    """Where a node stands, for people: "line 3", or "line 3 of cell 2"."""
    line, _, cell = facts.extract.locate(node.start_byte)
    return f"line {line}" if cell is None else f"line {line} of cell {cell}"


def shown(facts: Facts, node: Node) -> str:
    """What is called or named by a node, on one line: "tf.constant", for people."""
    text = " ".join(facts.decoded(callee(node) if node.type == "call" else node).split())
    return text if len(text) <= 60 else text[:57] + "..."
