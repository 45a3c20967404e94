"""Finds imports that only code for configs needed, such as `from keras.backend import set_session`.

Once a config has become calls of `tf.config`, nothing uses them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from tree_sitter import Node

from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.paths import tf1_name
from tf1mem.codemod.source.removal import without_items
from tf1mem.codemod.source.syntax import import_items
from tf1mem.codemod.targets.native.statement_edits import Sites

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts
    from tf1mem.codemod.targets.native.construct import Construct


def needless_imports(facts: Facts, constructs: Sequence[Construct]) -> tuple[list[Node], list[Edit]]:
    """Returns imported names that nothing needs any more, and the edits that remove them.

    Args:
        facts: The module's facts.
        constructs: The module's constructs that become calls of `tf.config`.

    Returns:
        The import items to remove; and the edits, which also add `import tensorflow as tf` if the new calls need it.
    """
    unneeded = []
    if constructs:
        unneeded = facts.imports.needless(_may_go, lambda use: any(construct.removes(use) for construct in constructs))
    sites, edits = Sites(facts), []
    for statement, items in unneeded:
        everything = [item.node for item in import_items(statement)]
        if len(items) < len(everything):
            edits += without_items(everything, items)
        elif sites.can_change(statement):
            sites.remove(statement)
    needed = next((construct.words_import for construct in constructs if construct.words_import is not None), None)
    if needed is not None:
        sites.insert_before(needed, ["import tensorflow as tf"])
    return [item for _, items in unneeded for item in items], [*edits, *sites.edits()]


def _may_go(binding: Binding) -> bool:
    """Returns True for `from … import …`, and for a module inside Keras by `import … as …`; others stay."""
    if binding.statement.type == "import_from_statement":
        return True
    return binding.item.type == "aliased_import" and (tf1_name(binding.path or "") or "").startswith("keras.")
