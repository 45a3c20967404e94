"""What is known of one module: its source, its names, and what its expressions lead to."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tree_sitter import Node

from tf1mem.codemod.facts import guards
from tf1mem.codemod.source.names import UNKNOWN, Names
from tf1mem.codemod.source.paths import tf1_name
from tf1mem.codemod.source.syntax import is_field
from tf1mem.codemod.source.tree import Source

if TYPE_CHECKING:
    from tf1mem.codemod.files.extracts import Extract
    from tf1mem.codemod.targets.native.plans import NativePlan
    from tf1mem.codemod.targets.shim import Shim


class Facts:
    """One Python module and what is asked of the codemod.

    Attributes:
        source: The bytes and the tree.
        names: What names stand for.
        to: The target: "shim", "apply" or "native".
        gpu_memory_mib: The memory of a GPU, for which a fraction can be said as a limit; None where not known.
        extract: Where the Python comes from, as a whole: a file, a notebook, a text.
        rules: The codes of the rules that are at work.
    """

    def __init__(
        self, source: Source, *, to: str, gpu_memory_mib: int | None, extract: Extract, rules: frozenset[str]
    ) -> None:
        self.source, self.to, self.gpu_memory_mib, self.extract = source, to, gpu_memory_mib, extract
        self.rules = rules
        self.names = Names(source)

    @cached_property
    def shim(self) -> Shim:
        """Which imports lead to tf1mem.v1 afterwards; none unless that is the target."""
        from tf1mem.codemod.targets.shim import Shim

        return Shim(self)

    @cached_property
    def native(self) -> NativePlan:
        """What becomes `tf.config` calls; nothing unless "native" is the target."""
        from tf1mem.codemod.targets.native.plans import NativePlan

        return NativePlan(self)

    def text(self, node: Node) -> bytes:
        """A node's bytes."""
        return self.source.text_of(node)

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
                call = node.parent
                if call is not None and call.type == "call" and call.child_by_field_name("function") == node:
                    found[call.start_byte, call.end_byte] = call
        return [found[place] for place in sorted(found)]

    def _callees(self, leaf: bytes) -> list[Node]:
        """Expressions that end in a name, and the variables that such an expression was given to."""
        found = []
        for node in self.source.identifiers(leaf):
            parent = node.parent
            if parent is None:
                continue
            if parent.type == "attribute" and parent.child_by_field_name("attribute") == node:
                found.append(parent)
                above = parent.parent
                if above is not None and above.type == "assignment" and is_field(above, "right", parent):
                    target = above.child_by_field_name("left")  # S = tf.Session
                    if target is not None and target.type == "identifier" and self.text(target) != leaf:
                        found += self.source.identifiers(self.text(target))
            elif parent.type == "dotted_name" and parent.parent is not None and parent.parent.type == "aliased_import":
                alias = parent.parent.child_by_field_name("alias")
                if alias is not None and self.text(alias) != leaf:
                    found += self.source.identifiers(self.text(alias))
            else:
                found.append(node)
        return found

    def guarded(self, node: Node) -> bool:
        """Whether a node is reached on one side of a test of TensorFlow's version only, or tried."""
        return guards.guarded(self, node)

    def argument(self, call: Node, name: str) -> Node | None:
        """The keyword argument's value in a call; None where it isn't given."""
        arguments = call.child_by_field_name("arguments")
        for child in arguments.named_children if arguments is not None else ():
            if child.type == "keyword_argument":
                key = child.child_by_field_name("name")
                if key is not None and self.text(key) == name.encode():
                    return child.child_by_field_name("value")
        return None

    def spelled(self, word: str) -> bool:
        """Whether a word stands anywhere in the bytes, if only as a part of another: a fast first look."""
        return word.encode() in self.source.text
