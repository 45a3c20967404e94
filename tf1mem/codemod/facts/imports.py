"""Finds the imports of TensorFlow and of Keras in a module, and the names used through them."""

from __future__ import annotations

from functools import cached_property
from typing import Callable, Iterator

from tree_sitter import Node

from tf1mem.codemod.facts.call_arguments import WrittenFor, written_for
from tf1mem.codemod.facts.guards import Guards
from tf1mem.codemod.source.chains import chains
from tf1mem.codemod.source.names import Binding, Names
from tf1mem.codemod.source.paths import is_compat_v1, is_compat_v2, is_public_tensorflow, tf1_name
from tf1mem.codemod.source.syntax import call_of, enclosing, import_items
from tf1mem.names import arguments, tf1_names
from tf1mem.names.evidence import (
    ASKS_MODE,
    EAGER,
    GRAPHS,
    TF2,
    is_evidence,
    is_gone_from_v1,
    is_graph_in_use,
    is_tf2_in_use,
    knows_tf2,
)


class Imports:
    """The imports of a module from TensorFlow, or from Keras as a separate package.

    Args:
        names: The module's names.

    Attributes:
        guards: The module's tests of TensorFlow's version.
    """

    def __init__(self, names: Names) -> None:
        self.names, self.source, self.guards = names, names.source, Guards(names)
        self._chains_of: dict[bytes, dict[str, list[int]]] = {}

    @cached_property
    def statements(self) -> list[Node]:
        """The statements that import from TensorFlow or a separate Keras, in the order of the source."""
        statements: dict[int, Node] = {}
        for word in (b"tensorflow", b"tensorflow_core", b"keras"):
            if word not in self.source.text:
                continue
            for node in self.source.identifiers(word, on_lines_with=(b"import", b"from")):
                dotted = node.parent
                if dotted is None or dotted.type != "dotted_name" or dotted.named_children[0] != node:
                    continue
                statement = enclosing(dotted, "import_statement", "import_from_statement")
                if statement is not None:
                    statements[statement.start_byte] = statement
        return [statements[place] for place in sorted(statements)]

    @cached_property
    def bindings(self) -> list[Binding]:
        """The bindings that `statements` make, in the order of the source."""
        bindings = []
        for statement in self.statements:
            names: set[bytes] = set()
            for item in import_items(statement):
                identifier = item.alias if item.alias is not None else next(iter(item.node.named_children), None)
                if identifier is not None:
                    names.add(self.source.text_of(identifier))
            for name in names:
                bindings += [binding for binding in self.names.bindings(name) if binding.statement == statement]
        return sorted(bindings, key=lambda binding: binding.node.start_byte)

    def needless(
        self, may_be_removed: Callable[[Binding], bool], is_removed: Callable[[Node], bool]
    ) -> list[tuple[Node, list[Node]]]:
        """Returns the import statements with names that only removed code uses, each with these names' items.

        Args:
            may_be_removed: Returns True if a binding may be removed.
            is_removed: Returns True if a use is removed.
        """
        statements: dict[int, tuple[Node, list[Node]]] = {}
        for binding in self.bindings:
            uses = self.names.uses(binding) if may_be_removed(binding) else []
            if uses and all(map(is_removed, uses)):
                statements.setdefault(binding.statement.start_byte, (binding.statement, []))[1].append(binding.item)
        return [*statements.values()]

    @cached_property
    def is_for_graphs(self) -> bool:
        """True if the module switches TensorFlow 2's behavior off, for the whole program."""
        return self._calls_any(GRAPHS)

    @cached_property
    def is_eager_in_tf1(self) -> bool:
        """True if the module switches eager execution on, as programs for TensorFlow 1 do."""
        return self._calls_any(EAGER)

    @cached_property
    def knows_tf2(self) -> bool:
        """True if the module supports TensorFlow 2, with or without TensorFlow 1.

        Names that only TensorFlow 2 has show it. Names that TensorFlow 1.14 had, too, don't count in a module that also
        uses names for building graphs.
        """
        asks_mode = any(map(self.source.identifiers, set(ASKS_MODE.findall(self.source.text))))
        if asks_mode or self.guards.has_helper() or self._any_name(knows_tf2):
            return True
        roots = [
            binding
            for binding in self.bindings
            if is_public_tensorflow(binding.path or "") and not tf1_name(binding.path or "")
        ]
        if not any(not self.guards.guarded(node) for binding in roots for _, node in self.uses(binding, is_tf2_in_use)):
            return False
        of_tf1 = [use for binding in roots for use in self.v1_uses(binding)]
        return not any(is_graph_in_use(dotted) and not self.guards.guarded(node) for dotted, node in of_tf1)

    @cached_property
    def lacking_uses(self) -> int:
        """The number of uses of names that TensorFlow 2 lacks, outside version tests."""
        uses = (node for binding in self.bindings for _, node in self.gone_uses(binding))
        return sum(not self.guards.guarded(node) for node in uses)

    def gone_uses(self, binding: Binding) -> Iterator[tuple[str, Node]]:
        """Yields the uses of names that TensorFlow 2 lacks, through a binding: TF1 name, and identifier of the root."""
        prefix = tf1_name(binding.path or "") or ""
        for dotted, node in self.v1_uses(binding):
            if is_compat_v1(binding.path or ""):
                is_there = not is_gone_from_v1(dotted)
            else:
                other_paths = self.names.paths(node) - {binding.path}
                is_there = any(_is_there(path + "." + dotted[len(prefix) :].lstrip(".")) for path in other_paths)
            if not is_there:
                yield dotted, node

    def v1_uses(self, binding: Binding) -> Iterator[tuple[str, Node]]:
        """Yields the uses of `gone_uses`, and also those of names that TensorFlow 2 has only in compat.v1."""
        for dotted, node in self.uses(binding, _may_be_gone):
            if is_evidence(dotted) or self._is_called_as_in_tf1(node, dotted):
                yield dotted, node

    def uses(self, binding: Binding, matches: Callable[[str], bool]) -> Iterator[tuple[str, Node]]:
        """Yields the uses of matching TF1 names through a binding: the name, and the root's identifier."""
        prefix = tf1_name(binding.path or "")
        if prefix is None:
            return
        # `tf.compat.v1` works in TensorFlow 2; other rules handle names that it lacks, and its Sessions with configs.
        for chain, node in self.chains(
            binding,
            lambda chain: (prefix or not chain.startswith(".compat.")) and matches((prefix + chain).lstrip(".")),
        ):
            yield (prefix + chain).lstrip("."), node

    def chains(self, binding: Binding, matches: Callable[[str], object]) -> Iterator[tuple[str, Node]]:
        """Yields the members used of a bound name, such as ".train.Saver", with the name's identifier."""
        name = self.source.text_of(binding.node)
        for chain, places in self._chains(name).items():
            if not matches(chain):
                continue
            for start in places:
                node = self.source.identifier_at(start, start + len(name))
                if node is None or not self.names.is_use(node):
                    continue
                if any(seen.node == binding.node for seen in self.names.visible(node)):
                    yield chain, node

    def _calls_any(self, leaves: tuple[str, ...]) -> bool:
        """Returns True if a TF1 name with one of these last names is used."""
        spelled = [leaf for leaf in leaves if leaf.encode() in self.source.text]  # rarely any
        return bool(spelled) and self._any_name(lambda dotted: dotted.rpartition(".")[2] in spelled)

    def _any_name(self, matches: Callable[[str], bool]) -> bool:
        """Returns True if `matches` is true for any used TF1 name; a name of compat.v2 is passed to it as `TF2`."""
        for binding in self.bindings:
            path, name = binding.path or "", self.source.text_of(binding.node)
            for chain, places in self._chains(name).items():
                dotted = TF2 if is_compat_v2(path + chain) else tf1_name(path + chain)
                if dotted is not None and matches(dotted) and any(self._is_use_at(name, start) for start in places):
                    return True
        return False

    def _is_use_at(self, name: bytes, start: int) -> bool:
        node = self.source.identifier_at(start, start + len(name))
        return node is not None and self.names.is_use(node)

    def _chains(self, name: bytes) -> dict[str, list[int]]:
        """Returns the members read from a name, such as ".train.Saver", with the name's offsets, without parsing."""
        if name not in self._chains_of:
            places = self._chains_of[name] = {}
            for members, start in chains(self.source.text, name):
                places.setdefault(members, []).append(start)
        return self._chains_of[name]

    def _is_called_as_in_tf1(self, root: Node, dotted: str) -> bool:
        call = call_of(function_of_root(root))
        return call is not None and written_for(self.source, call, dotted)[0] is WrittenFor.TF1


def _is_there(path: str) -> bool:
    """Returns True if TensorFlow 2 has the name at a path with the same meaning."""
    name = tf1_name(path.rstrip("."))
    return name is not None and not (is_gone_from_v1(name) if is_compat_v1(path) else is_evidence(name))


def _may_be_gone(dotted: str) -> bool:
    return is_evidence(dotted) or tf1_names.changed(dotted) or arguments.orders(dotted) is not None


def function_of_root(root: Node) -> Node:
    """Returns the whole dotted name that begins with an identifier."""
    function = root
    while function.parent is not None and function.parent.type == "attribute":
        function = function.parent
    return function
