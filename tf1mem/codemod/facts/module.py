"""The facts of one module: its source, its names, and the paths of its expressions."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Iterator

from tree_sitter import Node

from tf1mem.codemod.facts.call_arguments import lost_members
from tf1mem.codemod.facts.imports import Imports
from tf1mem.codemod.files.extracts import Extract
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.names import UNKNOWN, Names
from tf1mem.codemod.source.paths import tf1_name
from tf1mem.codemod.source.tree import Source


class Facts:
    """The facts of one Python module, whatever the target.

    Args:
        extract: The origin of the Python source: a file, a notebook, a text.

    Attributes:
        source: The bytes and the tree.
        extract: The origin of the Python source: a file, a notebook, a text.
        names: The module's names.
        flows: The flows that `flow.follow` has followed, by the span of the creating expression.
    """

    def __init__(self, extract: Extract) -> None:
        self.extract = extract
        self.source = Source(extract.python)
        self.names = Names(self.source)
        self.flows: dict[tuple[int, int], Any] = {}  # Any stands for flow.Flow: flow.py imports this file

    @cached_property
    def imports(self) -> Imports:
        """The module's imports of TensorFlow and Keras."""
        return Imports(self.names)

    @cached_property
    def lost_members(self) -> list[tuple[Node, str, str]]:
        """Unguarded uses of members that only TensorFlow 1's objects have; see `call_arguments.lost_members`."""
        return [member for member in lost_members(self.names) if not self.guarded(member[0])]

    def text(self, node: Node) -> bytes:
        """Returns a node's bytes."""
        return self.source.text_of(node)

    def decoded(self, node: Node) -> str:
        """Returns a node's text, for names and for people."""
        return self.source.decoded(node)

    def line_of(self, node: Node) -> str:
        """Returns a node's place, for people: "line 3", or "line 3 of cell 2"."""
        line, _, cell = self.extract.locate(node.start_byte)
        return f"line {line}" if cell is None else f"line {line} of cell {cell}"

    def shown(self, node: Node) -> str:
        """Returns the text of a node, or of the function that a call calls, on one line: "tf.constant", for people."""
        text = " ".join(self.decoded(syntax.callee(node) if node.type == "call" else node).split())
        return text if len(text) <= 60 else text[:57] + "..."

    def tf1_names(self, node: Node) -> frozenset[str | None]:
        """Returns the TF1 names that an expression may stand for; None stands for anything outside TensorFlow."""
        return frozenset(None if path == UNKNOWN else tf1_name(path) for path in self.names.paths(node))

    def tf1_name(self, node: Node) -> str | None:
        """Returns the TF1 name that an expression surely stands for, such as "train.Server"; None if unsure."""
        names = self.tf1_names(node)
        return next(iter(names)) if len(names) == 1 else None

    def calls(self, *leaves: str) -> list[Node]:
        """Returns the calls of functions whose last name is one of these, resolved or not, in the order of the source.

        Args:
            leaves: Last names, such as "Session". Aliases by import or assignment count.
        """
        calls: dict[tuple[int, int], Node] = {}
        for leaf in leaves:
            for node in self._callees(leaf.encode()):
                call = syntax.call_of(node)
                if call is not None:
                    calls[call.start_byte, call.end_byte] = call
        return [calls[place] for place in sorted(calls)]

    def _callees(self, leaf: bytes) -> list[Node]:
        """Returns expressions that end in a name, and variables that hold such an expression."""
        callees = []
        for node in self.source.identifiers(leaf):
            parent, named = node.parent, syntax.attribute_named(node)
            alias = None
            if named is not None:
                callees.append(named)
                assignment = syntax.assignment_of(named)
                alias = syntax.target(assignment) if assignment is not None else None  # S = tf.Session
            elif parent is not None and parent.type == "dotted_name" and parent.parent is not None:
                alias = syntax.import_item(parent.parent).alias
            elif parent is not None:
                callees.append(node)
            if alias is not None and alias.type == "identifier" and self.text(alias) != leaf:
                callees += self.source.identifiers(self.text(alias))
        return callees

    def assignments_to(self, attribute: Node) -> Iterator[Node]:
        """Yields the assignments to attributes that are spelled like this one, in the order of the source."""
        for name in self.source.identifiers(self.text(syntax.leaf_of(attribute))):
            named = syntax.attribute_named(name)
            assignment = syntax.assignment_to(named) if named is not None else None
            if named is not None and assignment is not None and self.text(named) == self.text(attribute):
                yield assignment

    def guarded(self, node: Node) -> bool:
        """Returns True if a node runs only on one side of a version test, or in a `try` for it; see `guards`."""
        return self.imports.guards.guarded(node)

    def argument(self, call: Node, name: str) -> Node | None:
        """Returns the value of a keyword argument in a call; None if it isn't passed."""
        for pair in map(syntax.keyword, syntax.arguments(call)):
            if pair is not None and self.text(pair.name) == name.encode():
                return pair.value
        return None

    def mentions(self, word: str) -> bool:
        """Returns True if a word occurs anywhere in the bytes, also inside another word: a fast first test."""
        return word.encode() in self.source.text
