"""What is known of one module: its source, its names, and what its expressions lead to."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Iterator

from tree_sitter import Node

from tf1mem.codemod.facts.calls import lost_members
from tf1mem.codemod.facts.imports import Imports
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.names import UNKNOWN, Names
from tf1mem.codemod.source.paths import tf1_name
from tf1mem.codemod.source.tree import Source

if TYPE_CHECKING:
    from tf1mem.codemod.facts.flow import Flow
    from tf1mem.codemod.files.extracts import Extract


class Facts:
    """What is known of one Python module, whatever is to become of it.

    Attributes:
        source: The bytes and the tree.
        extract: Where the Python comes from, as a whole: a file, a notebook, a text.
        names: What names stand for.
        flows: Where values go, for those that were followed, by where the expressions lie that make them.
    """

    def __init__(self, source: Source, extract: Extract) -> None:
        self.source, self.extract = source, extract
        self.names = Names(source)
        self.flows: dict[tuple[int, int], Flow] = {}

    @cached_property
    def imports(self) -> Imports:
        """What it imports from TensorFlow and from Keras."""
        return Imports(self.names)

    @cached_property
    def lost_members(self) -> list[tuple[Node, str, str]]:
        """Unguarded uses of members that only TensorFlow 1's objects have; see `calls.lost_members`."""
        return [found for found in lost_members(self.names) if not self.guarded(found[0])]

    def text(self, node: Node) -> bytes:
        """A node's bytes."""
        return self.source.text_of(node)

    def decoded(self, node: Node) -> str:
        """A node's text, for names and for people."""
        return self.source.decoded(node)

    def tf1_names(self, node: Node) -> frozenset[str | None]:
        """What an expression may be, by the names of TensorFlow 1; None among them for what isn't TensorFlow's."""
        return frozenset(None if path == UNKNOWN else tf1_name(path) for path in self.names.paths(node))

    def tf1_name(self, node: Node) -> str | None:
        """What an expression is for sure, by the name of TensorFlow 1, such as "train.Server"; None if not sure."""
        found = self.tf1_names(node)
        return next(iter(found)) if len(found) == 1 else None

    def calls(self, *leaves: str) -> list[Node]:
        """The calls of something whose last name is one of these, resolved or not, in the order of the source.

        Args:
            leaves: Such as "Session". Aliases made by import or assignment are found, too.
        """
        found: dict[tuple[int, int], Node] = {}
        for leaf in leaves:
            for node in self._callees(leaf.encode()):
                call = syntax.call_of(node)
                if call is not None:
                    found[call.start_byte, call.end_byte] = call
        return [found[place] for place in sorted(found)]

    def _callees(self, leaf: bytes) -> list[Node]:
        """Expressions that end in a name, and the variables that such an expression was given to."""
        found = []
        for node in self.source.identifiers(leaf):
            parent, named = node.parent, syntax.attribute_named(node)
            alias = None
            if named is not None:
                found.append(named)
                given = syntax.assignment_of(named)
                alias = syntax.target(given) if given is not None else None  # S = tf.Session
            elif parent is not None and parent.type == "dotted_name" and parent.parent is not None:
                alias = syntax.import_item(parent.parent).alias
            elif parent is not None:
                found.append(node)
            if alias is not None and alias.type == "identifier" and self.text(alias) != leaf:
                found += self.source.identifiers(self.text(alias))
        return found

    def given_to(self, attribute: Node) -> Iterator[Node]:
        """The assignments to attributes that are spelled like this one, in the order of the source."""
        for name in self.source.identifiers(self.text(syntax.leaf_of(attribute))):
            named = syntax.attribute_named(name)
            assignment = syntax.assignment_to(named) if named is not None else None
            if named is not None and assignment is not None and self.text(named) == self.text(attribute):
                yield assignment

    def guarded(self, node: Node) -> bool:
        """Whether a node is reached on one side of a test of TensorFlow's version only, or tried."""
        return self.imports.guards.guarded(node)

    def argument(self, call: Node, name: str) -> Node | None:
        """The keyword argument's value in a call; None where it isn't given."""
        for pair in map(syntax.keyword, syntax.arguments(call)):
            if pair is not None and self.text(pair.name) == name.encode():
                return pair.value
        return None

    def spelled(self, word: str) -> bool:
        """Whether a word stands anywhere in the bytes, if only as a part of another: a fast first look."""
        return word.encode() in self.source.text
