"""Imports that nothing needs any more once configs are native: `from keras.backend import set_session` and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from tree_sitter import Node

from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.paths import tf1_name
from tf1mem.codemod.source.removal import without_items
from tf1mem.codemod.targets.native.sites import Sites

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts
    from tf1mem.codemod.targets.native.construct import Construct


class Imports:
    """The names that are imported for what goes, and how they go with it.

    Args:
        facts: The module's facts.
        constructs: What becomes native.
    """

    def __init__(self, facts: Facts, constructs: Sequence[Construct]) -> None:
        self.facts = facts
        self._needless: dict[int, tuple[Node, list[Node]]] = {}
        self.edits: list[Edit] = []
        if not constructs:
            return
        for binding in facts.imports.bindings:
            if _may_go(binding) and self._is_needless(binding, constructs):
                item = _item(binding)
                self._needless.setdefault(binding.statement.start_byte, (binding.statement, []))[1].append(item)
        needed = next((found.words_import for found in constructs if found.words_import is not None), None)
        sites = Sites(facts)
        written = False
        for statement, items in self._needless.values():
            everything = statement.children_by_field_name("name")
            if len(items) < len(everything):
                self.edits += without_items(everything, items)
            elif sites.can_change(statement):
                sites.remove(statement)
                if needed is not None and statement == needed:
                    sites.say(statement, ["import tensorflow as tf"])
                    written = True
        if needed is not None and not written:
            sites.say(needed, ["import tensorflow as tf"])
        self.edits += sites.edits()

    @property
    def items(self) -> list[Node]:
        """The names that go."""
        return [item for _, items in self._needless.values() for item in items]

    def _is_needless(self, binding: Binding, constructs: Sequence[Construct]) -> bool:
        uses = self.facts.names.uses(binding)
        return bool(uses) and all(any(found.removes(use) for found in constructs) for use in uses)


def _may_go(binding: Binding) -> bool:
    """Whether an import is of a name, or of Keras's backend: TensorFlow's own stays for what else a program may do."""
    if binding.statement.type == "import_from_statement":
        return True
    return _item(binding).type == "aliased_import" and (tf1_name(binding.path or "") or "").startswith("keras.")


def _item(binding: Binding) -> Node:
    item = binding.node
    while item.parent is not None and item.parent != binding.statement:
        item = item.parent
    return item
