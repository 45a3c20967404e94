"""Which imports of a module lead to tf1mem.v1 when that is the target.

An import moves where something is used through it that TensorFlow 2 hasn't got any more, outside of tests of the
version; with it move its alternatives (`try: import … except ImportError: import …`) and what Keras comes by, because
tf1mem.v1 has one Keras for both.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Callable, Iterator

from tree_sitter import Node

from tf1mem.codemod.facts import keras_sessions
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.paths import HOME, dotted_text, is_compat_v1, is_public_tensorflow, is_shim, tf1_name
from tf1mem.codemod.source.syntax import enclosing, root_of
from tf1mem.codemod.tables import tf1_names
from tf1mem.codemod.tables.evidence import TOGGLES, is_evidence, is_graph_in_use, is_of_old_keras, is_tf2_in_use

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

# Asked for by name, so that a program that has both TensorFlows side by side says which behavior it wants.
_WANTS_V1 = re.compile(r"\b(?:{}|{})\b".format(*TOGGLES[:2]).encode())
# All that a Keras program takes from TensorFlow 1 for its settings.
_SETTINGS = re.compile(r"(?:ConfigProto|GPUOptions|GraphOptions|OptimizerOptions)\b|keras\.backend\.set_session\Z")
_CHAIN = rb"(?<![\w.\x80-\xff])%b((?:\s*\.\s*[A-Za-z_]\w*)*)"


def _may_be_gone(dotted: str) -> bool:
    return is_evidence(dotted) or tf1_names.changed(dotted)


class Shim:
    """The imports of a module, and which of them move.

    Args:
        facts: The module's facts; nothing moves unless its target is "shim".
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._chains_of: dict[bytes, dict[str, list[int]]] = {}

    @cached_property
    def statements(self) -> list[Node]:
        """The statements that import from TensorFlow or from Keras by itself, in the order of the source."""
        found: dict[int, Node] = {}
        for word in (b"tensorflow", b"tensorflow_core", b"keras"):
            if word not in self.facts.source.text:
                continue
            for node in self.facts.source.identifiers(word, on_lines_with=(b"import", b"from")):
                dotted = node.parent
                if dotted is None or dotted.type != "dotted_name" or dotted.named_children[0] != node:
                    continue
                statement = enclosing(dotted, "import_statement", "import_from_statement")
                if statement is not None:
                    found[statement.start_byte] = statement
        return [found[place] for place in sorted(found)]

    @cached_property
    def bindings(self) -> list[Binding]:
        """What these statements bind."""
        made = []
        for statement in self.statements:
            names: set[bytes] = set()
            for item in statement.children_by_field_name("name"):
                alias = item.child_by_field_name("alias")
                identifier = alias if alias is not None else item.named_children[0] if item.named_children else None
                if identifier is not None:
                    names.add(self.facts.text(identifier))
            for name in names:
                made += [found for found in self.facts.names.bindings(name) if found.statement == statement]
        return sorted(made, key=lambda binding: binding.node.start_byte)

    @cached_property
    def moved(self) -> frozenset[int]:
        """The places (offsets) of the statements that move."""
        if self.facts.to != "shim":
            return frozenset()
        public = [found for found in self.bindings if tf1_name(found.path or "") is not None]
        asked = [found for found in public if self._is_evidence(found)]
        if not asked or self.strays or self._leaves_tf2_alone(public, asked) or self._is_a_keras_program(asked):
            return frozenset()
        names = {self.facts.text(found.node) for found in asked}
        moving = {found.statement.start_byte for found in asked}
        for found in public:
            alternative = self.facts.text(found.node) in names and any(
                other.scope is found.scope
                for other in asked
                if self.facts.text(other.node) == self.facts.text(found.node)
            )
            if alternative or self._moves_along(found.path or ""):
                moving.add(found.statement.start_byte)
        moving |= {statement.start_byte for statement in self.statements if self._is_star_that_moves(statement)}
        return frozenset(moving)

    @cached_property
    def strays(self) -> list[tuple[str, Node]]:
        """What is used of TensorFlow 1's, and gone, in a module that is written for TensorFlow 2 otherwise."""
        roots = [
            found
            for found in self.bindings
            if is_public_tensorflow(found.path or "") and not tf1_name(found.path or "")
        ]
        if not any(not self.facts.guarded(node) for found in roots for _, node in self.uses(found, is_tf2_in_use)):
            return []
        strays = []
        for binding in roots:
            gone = [(dotted, node) for dotted, node in self.gone_uses(binding) if not self.facts.guarded(node)]
            if any(is_graph_in_use(dotted) for dotted, _ in gone):
                return []
            strays += gone
        return sorted(strays, key=lambda stray: stray[1].start_byte)

    @property
    def is_there(self) -> bool:
        """Whether anything comes from tf1mem.v1 afterwards, or does already."""
        return bool(self.moved) or (self.facts.to == "shim" and HOME.encode() in self.facts.source.text)

    def leads(self, node: Node) -> bool:
        """Whether an expression is tf1mem.v1's afterwards: its root is imported from there, or will be."""
        root = node
        while root.type in ("attribute", "parenthesized_expression"):
            inner = root.child_by_field_name("object") if root.type == "attribute" else root.named_children[0]
            if inner is None:
                return False
            root = inner
        if root.type != "identifier":
            return False
        visible = self.facts.names.visible(root)
        return bool(visible) and all(self._leads(binding) for binding in visible)

    def _leads(self, binding: Binding, depth: int = 0) -> bool:
        if binding.path is not None:
            return is_shim(binding.path) or binding.statement.start_byte in self.moved
        if binding.value is None or depth > 8:
            return False
        if binding.value.type == "none":
            return True
        root = root_of(binding.value)
        if root.type != "identifier":
            return False
        visible = [found for found in self.facts.names.visible(root) if found.node != binding.node]
        return bool(visible) and all(self._leads(found, depth + 1) for found in visible)

    def gone_uses(self, binding: Binding) -> Iterator[tuple[str, Node]]:
        """What is used through a binding that TensorFlow 2 hasn't got: its TF1 name, and the identifier of the root."""
        for dotted, node in self.uses(binding, _may_be_gone):
            if is_evidence(dotted) or self._has_tf1_keyword(node, dotted):
                yield dotted, node

    def uses(self, binding: Binding, wanted: Callable[[str], bool]) -> Iterator[tuple[str, Node]]:
        """What is used through a binding, of the TF1 names that are wanted, and the identifier of the root."""
        prefix = tf1_name(binding.path or "")
        if prefix is None:
            return
        source, name = self.facts.source, self.facts.text(binding.node)
        for rest, places in self._chains(name).items():
            if rest.startswith(".compat.") and not prefix:
                continue  # TF1's API asked for by name: that works, and what takes a config is seen to by its own rule
            dotted = (prefix + rest).lstrip(".")
            if not wanted(dotted):
                continue
            for start in places:
                node = source.identifier_at(start, start + len(name))
                if node is None or not self.facts.names.is_use(node):
                    continue
                if any(seen.node == binding.node for seen in self.facts.names.visible(node)):
                    yield dotted, node

    def _chains(self, name: bytes) -> dict[str, list[int]]:
        """What stands behind a name, such as ".train.Saver", and where the name does; by the bytes alone."""
        if name not in self._chains_of:
            found = self._chains_of[name] = {}
            for chain in re.finditer(_CHAIN % re.escape(name), self.facts.source.text):
                rest = "".join(chain.group(1).decode("utf-8", "replace").split())
                found.setdefault(rest, []).append(chain.start())
        return self._chains_of[name]

    def _is_evidence(self, binding: Binding) -> bool:
        path = binding.path or ""
        if is_shim(path) or path.split(".")[0] in ("keras", "tf_keras"):
            return False
        if not is_public_tensorflow(path) and ".keras" not in path and not path.endswith("client.session.Session"):
            return False
        name = tf1_name(path) or ""
        if name.startswith("keras.") and not is_of_old_keras(name) and name not in ("keras.backend", "keras.layers"):
            return False
        if name and path.startswith(("tensorflow.contrib", "tensorflow.examples")):
            return True
        return any(not self.facts.guarded(node) for _, node in self.gone_uses(binding))

    def _has_tf1_keyword(self, root: Node, dotted: str) -> bool:
        keywords = tf1_names.v1_only_keywords(dotted)
        if not keywords:
            return False
        callee = root
        while callee.parent is not None and callee.parent.type == "attribute":
            callee = callee.parent
        call = callee.parent
        if call is None or call.type != "call" or call.child_by_field_name("function") != callee:
            return False
        return any(self.facts.argument(call, keyword) is not None for keyword in keywords)

    def _moves_along(self, path: str) -> bool:
        """Whether a module goes where TensorFlow goes: its Keras, and what TensorFlow 2 has no place for any more.

        Keras as a package by itself stays: other files of the program import it too, and two Kerases don't mix.
        """
        name = tf1_name(path) or ""
        return not path.startswith(("keras", "tf_keras")) and (
            name.startswith("keras") or path.startswith("tensorflow.python.estimator")
        )

    def _is_star_that_moves(self, statement: Node) -> bool:
        source = statement.child_by_field_name("module_name")
        if source is None or not any(child.type == "wildcard_import" for child in statement.children):
            return False
        path = dotted_text(self.facts.text(source))
        return path.startswith("tensorflow.contrib") or self._moves_along(path)

    def _leaves_tf2_alone(self, public: list[Binding], asked: list[Binding]) -> bool:
        """Whether TF1's API is asked for by name beside a TensorFlow 2 that is used as such."""
        if not all(is_compat_v1(found.path or "") for found in asked) or _WANTS_V1.search(self.facts.source.text):
            return False
        names = {self.facts.text(found.node) for found in asked}
        return any(
            found.path in ("tensorflow", "tensorflow.compat.v2") and self.facts.text(found.node) not in names
            for found in self.bindings
        )

    def _is_a_keras_program(self, asked: list[Binding]) -> bool:
        """Whether Keras is a package by itself here, and TensorFlow 1 is only there for its settings.

        Such a program runs on any Keras, other files of it too, if it is left with that one.
        """
        if not any((found.path or "").split(".")[0] == "keras" for found in self.bindings):
            return False
        sessions = None
        for binding in asked:
            for dotted, node in self.gone_uses(binding):
                if _SETTINGS.match(dotted):
                    continue
                if dotted not in ("Session", "InteractiveSession"):
                    return False
                if sessions is None:
                    sessions = {found.session.start_byte for found in keras_sessions.find(self.facts)}
                if node.start_byte not in sessions:
                    return False
        return True
