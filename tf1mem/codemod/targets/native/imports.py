"""Imports that nothing needs any more once configs are native: `from keras.backend import set_session` and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from tree_sitter import Node

from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.paths import tf1_name
from tf1mem.codemod.source.removal import without_items
from tf1mem.codemod.source.syntax import import_items
from tf1mem.codemod.targets.native.sites import Sites

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts
    from tf1mem.codemod.targets.native.construct import Construct


def needless_imports(facts: Facts, constructs: Sequence[Construct]) -> tuple[list[Node], list[Edit]]:
    """The names that are imported for what goes, and how they go with it.

    Args:
        facts: The module's facts.
        constructs: What becomes native.

    Returns:
        The items of imports that go; and their edits, with the import of TensorFlow where that is needed.
    """
    gone = []
    if constructs:
        gone = facts.imports.needless(_may_go, lambda use: any(found.removes(use) for found in constructs))
    sites, edits = Sites(facts), []
    for statement, items in gone:
        everything = [item.node for item in import_items(statement)]
        if len(items) < len(everything):
            edits += without_items(everything, items)
        elif sites.can_change(statement):
            sites.remove(statement)
    needed = next((found.words_import for found in constructs if found.words_import is not None), None)
    if needed is not None:
        sites.say(needed, ["import tensorflow as tf"])
    return [item for _, items in gone for item in items], [*edits, *sites.edits()]


def _may_go(binding: Binding) -> bool:
    """Whether an import is of a name, or of Keras's backend: TensorFlow's own stays for what else a program may do."""
    if binding.statement.type == "import_from_statement":
        return True
    return binding.item.type == "aliased_import" and (tf1_name(binding.path or "") or "").startswith("keras.")
