"""The plan of target shim: imports of a module that move to tf1mem.v1, and the reasons why others stay.

An import moves if the module uses a name through it that TensorFlow 2 lacks, outside version tests. The alternatives of
that import (`try: import … except ImportError: import …`) and the imports of Keras move with it, since tf1mem.v1 has
one Keras for both. If a function's import moves, the same import at the module's level moves, too.

tf1mem.v1 switches TensorFlow 2's behavior off for the whole program, whoever imports the file. So two kinds of modules
stay, unless the module or its program switches that behavior off itself: one that supports TensorFlow 2, too; and a
library that imports TensorFlow for such names in functions only. A module that uses `tensorflow.compat.v1` also stays,
if TensorFlow 2 has all names that it uses there. Each of these gets a remark.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import Claim, ClaimKind, TargetPlan, claim
from tf1mem.codemod.facts import consumers, keras_sessions
from tf1mem.codemod.facts.main_script import is_main
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, Note, remark
from tf1mem.codemod.source.control_flow import function_of
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.paths import dotted_text, is_compat_v1, is_public_tensorflow, is_shim, shim_module, tf1_name
from tf1mem.codemod.source.syntax import callee, imported_module
from tf1mem.machine.versions import NEWEST
from tf1mem.names import contrib, internals, tf2_names
from tf1mem.names.evidence import is_gone_from_v1, is_of_old_keras

STAYS = "TFM102"

_RUN = "start the program by `tf1mem run`, which switches to TensorFlow 1's behavior"
# All names that a Keras program uses of TensorFlow 1 for its settings.
_SETTINGS = re.compile(r"(?:ConfigProto|GPUOptions|GraphOptions|OptimizerOptions)\b|keras\.backend\.set_session\Z")


class ShimPlan(TargetPlan):
    """The imports of a module that move, and the reasons why others stay."""

    def claims(self) -> Iterator[Claim]:
        """Yields claims of the statements that lead to tf1mem.v1."""
        for statement in self._decided[0]:
            yield claim(ClaimKind.MOVED, statement)

    def supplied(self) -> set[str]:
        """Returns the names that will come from tf1mem.v1 and that TensorFlow 2 lacks, in compat.v1 too."""
        imports, moving = self.facts.imports, {statement.start_byte for statement in self._decided[0]}
        names: set[str | None] = set()
        for binding in imports.bindings:
            if binding.statement.start_byte in moving:
                names.add(_supplied(tf1_name(binding.path or "") or ""))
                names.update(_supplied(dotted) for dotted, _ in imports.uses(binding, _is_supplied))
        return {name for name in names if name is not None}

    def findings(self, code: str) -> Iterator[Finding]:
        """Yields remarks with the reason why imports stay."""
        if code == STAYS:
            yield from self._decided[1]

    @property
    def explains_stay(self) -> bool:
        """Returns True if there is a remark with the reason why imports stay."""
        return bool(self._decided[1])

    @cached_property
    def _decided(self) -> tuple[list[Node], list[Note]]:
        """The imports that move, and the remarks on those that stay."""
        facts, imports = self.facts, self.facts.imports
        public = [binding for binding in imports.bindings if tf1_name(binding.path or "") is not None]
        evident = [binding for binding in public if _is_evidence(facts, binding)]
        again = [binding for binding in public if binding not in evident and _is_again(binding, evident)]
        of_v1 = [binding for binding in public if binding not in evident + again and _is_v1_in_use(facts, binding)]
        if self.for_graphs or imports.is_for_graphs:
            evident += of_v1
            evident += [binding for binding in public if binding not in evident and _has_lost_files(facts, binding)]
        elif not evident and of_v1:
            return [], [_has_all(of_v1[0].statement)]
        elif evident and not imports.is_eager_in_tf1 and imports.knows_tf2:
            return [], list(_gone_names(facts, evident))
        elif evident and all(function_of(binding.statement) for binding in evident) and not is_main(facts):
            return [], [_in_a_function(evident[0].statement)]
        if not evident or _is_a_keras_program(facts, evident):
            return [], []
        return list(_moving(facts, public, evident + again + of_v1)), []


def _supplied(dotted: str) -> str | None:
    """Returns the part of a dotted name that tf1mem.v1 supplies; None if it supplies nothing."""
    top, _, inner = dotted.partition(".")
    if top == "python":
        return internals.moved(dotted)
    if top == "examples":
        return ".".join(dotted.split(".")[:4]) if contrib.has_example(inner) and inner.count(".") > 1 else None
    is_name = top == "contrib" and inner and contrib.shortened(inner) not in contrib.NAMESPACES
    return dotted if is_name and contrib.lacks(inner, NEWEST) is None else None


def _is_supplied(dotted: str) -> bool:
    return _supplied(dotted) is not None


def _moving(facts: Facts, public: list[Binding], evident: list[Binding]) -> Iterator[Node]:
    """Yields the statements that move: those with evidence, their alternatives, and what moves along."""
    moving = {binding.statement.start_byte for binding in evident}
    for binding in public:
        alternative = any(
            other.scope is binding.scope and facts.text(other.node) == facts.text(binding.node) for other in evident
        )
        if alternative or _moves_along(binding.path or ""):
            moving.add(binding.statement.start_byte)
    for statement in facts.imports.statements:
        if statement.start_byte in moving or _is_star_that_moves(facts, statement):
            yield statement


def _gone_names(facts: Facts, bindings: list[Binding]) -> Iterator[Note]:
    """Yields a remark for each name that TensorFlow 2 lacks, once."""
    reported: set[str] = set()
    for binding in bindings:
        for dotted, node in facts.imports.gone_uses(binding):
            if dotted in reported or facts.guarded(node):
                continue
            reported.add(dotted)
            here = f"Write tf.compat.v1.{dotted}, or its replacement in TensorFlow 2"
            yield remark(
                node,
                f"the file is written for TensorFlow 2 too, which has no tf.{dotted}, so its imports stay",
                f"Write its replacement in TensorFlow 2, or {_RUN}." if is_gone_from_v1(dotted) else here + ".",
            )


def _has_all(statement: Node) -> Note:
    return remark(
        statement,
        "TensorFlow 2 has everything that is used of compat.v1 here, so the import stays",
        f"If the program is to run as it did in TensorFlow 1: call tf.disable_v2_behavior() first, or {_RUN}.",
    )


def _in_a_function(statement: Node) -> Note:
    return remark(
        statement,
        "TensorFlow 1's API is imported for one function, whichever program calls it, so the import stays",
        f"Use tensorflow.compat.v1 for names that TensorFlow 2 only has there, or {_RUN}.",
    )


def _is_v1_in_use(facts: Facts, binding: Binding) -> bool:
    """Returns True if a binding is used for a name of TensorFlow 1 that TensorFlow 2 has in compat.v1."""
    return is_public_tensorflow(binding.path or "") and any(
        not facts.guarded(node) and any(map(is_compat_v1, facts.names.paths(node)))
        for _, node in facts.imports.v1_uses(binding)
    )


def _is_evidence(facts: Facts, binding: Binding) -> bool:
    """Returns True if an import shows that its module is written for TensorFlow 1, so that it moves."""
    path = binding.path or ""
    if is_shim(path) or path.split(".")[0] in ("keras", "tf_keras"):
        return False
    if not is_public_tensorflow(path) and ".keras" not in path and not path.endswith("client.session.Session"):
        return False
    name = tf1_name(path) or ""
    if name.startswith("keras.") and not is_of_old_keras(name) and name not in ("keras.backend", "keras.layers"):
        return False
    is_gone = name and path.startswith(("tensorflow.contrib", "tensorflow.examples"))
    if is_gone and not facts.guarded(binding.statement):
        return True
    if path in ("tensorflow", "tensorflow_core") and facts.lost_members:
        return True
    return any(not facts.guarded(node) for _, node in facts.imports.gone_uses(binding))


def _is_again(binding: Binding, evident: list[Binding]) -> bool:
    """Returns True for a module-level import of something that a function with evidence imports again.

    If it stayed, ops of the module's other code would make eager tensors, which the functions' graphs can't take.
    """
    return not function_of(binding.statement) and any(
        other.path == binding.path and function_of(other.statement) for other in evident
    )


def _has_lost_files(facts: Facts, binding: Binding) -> bool:
    """Returns True if a name of TensorFlow's own files is used that TensorFlow 2 lacks and tf1mem.v1 has."""
    path = binding.path or ""
    name = tf1_name(path) or ""
    if not path.startswith("tensorflow.python.") or shim_module(path.rpartition(".")[0]) is None:
        return False
    used = [name] if tf2_names.lacking(name) else [name + chain for chain, _ in facts.imports.chains(binding, len)]
    return any(map(internals.moved, filter(tf2_names.lacking, used)))


def _moves_along(path: str) -> bool:
    """Returns True if a module moves with TensorFlow: its Keras, and its own files whose names have moved.

    The separate package Keras stays: other files of the program import it too, and two Keras packages don't mix.
    """
    name = tf1_name(path) or ""
    return not path.startswith(("keras", "tf_keras")) and (
        name.startswith("keras")
        or path.startswith("tensorflow.python.estimator")
        or (name.startswith("python.") and (internals.is_file(name) or internals.moved(name) == name))
    )


def _is_star_that_moves(facts: Facts, statement: Node) -> bool:
    source = imported_module(statement)
    if source is None or not any(child.type == "wildcard_import" for child in statement.children):
        return False
    path = dotted_text(facts.text(source))
    return path.startswith("tensorflow.contrib") or _moves_along(path)


def _is_a_keras_program(facts: Facts, bindings: list[Binding]) -> bool:
    """Returns True if Keras is a separate package here, and TensorFlow 1 only serves its settings.

    Such a program runs on any Keras as long as all of its files import the same one. This still holds after another
    rule has replaced its `set_session` and the import of Keras by `tf1mem.apply`. It doesn't hold if one of the names
    is bound to tf1mem.v1 elsewhere in the module.
    """
    same_name = [other for binding in bindings for other in facts.names.bindings(facts.source.text_of(binding.node))]
    if any(is_shim(other.path or "") for other in same_name):
        return False
    uses = [use for binding in bindings for use in facts.imports.gone_uses(binding)]
    if not any((binding.path or "").split(".")[0] == "keras" for binding in facts.imports.bindings):
        return not uses and any(facts.names.paths(callee(call)) == {consumers.APPLY} for call in facts.calls("apply"))
    uses = [use for use in uses if not _SETTINGS.match(use[0])]
    if any(dotted not in keras_sessions.SESSIONS for dotted, _ in uses):
        return False
    sessions = {entry.session.start_byte for entry in keras_sessions.find(facts)} if uses else ()
    return all(node.start_byte in sessions for _, node in uses)
