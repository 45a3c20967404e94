"""Target shim: which imports of a module lead to tf1mem.v1, and why others don't.

An import moves where something is used through it that TensorFlow 2 hasn't got, outside of tests of the version; with
it move its alternatives (`try: import … except ImportError: import …`) and what Keras comes by, because tf1mem.v1 has
one Keras for both.

tf1mem.v1 switches TensorFlow 2's behavior off for the whole program, whoever imports the file. So a module that is
written for TensorFlow 2 too stays, whatever names it holds, and so does a library that imports TensorFlow for one
function only, unless the module, or the program that it is a part of, switches that behavior off by itself. So does a
module that asks for TensorFlow 1's API by name, where TensorFlow 2 has all of it. Each is told.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import Claim, Kind, Plan, claim
from tf1mem.codemod.facts import keras_sessions
from tf1mem.codemod.facts.main_script import is_main
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, Note, remark
from tf1mem.codemod.source.control_flow import function_of
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.paths import dotted_text, is_compat_v1, is_public_tensorflow, is_shim, shim_module, tf1_name
from tf1mem.codemod.source.syntax import imported_module
from tf1mem.codemod.tables import tf2_names
from tf1mem.codemod.tables.evidence import is_gone_from_v1, is_of_old_keras
from tf1mem.machine import contrib, internals
from tf1mem.machine.versions import NEWEST

STAYS = "TFM102"

_RUN = "start the program by `tf1mem run`, which switches to TensorFlow 1's behavior"
# All that a Keras program takes from TensorFlow 1 for its settings.
_SETTINGS = re.compile(r"(?:ConfigProto|GPUOptions|GraphOptions|OptimizerOptions)\b|keras\.backend\.set_session\Z")


class ShimPlan(Plan):
    """The imports of a module that move, and why others stay."""

    def claims(self) -> Iterator[Claim]:
        """The statements that lead to tf1mem.v1."""
        for statement in self._decided[0]:
            yield claim(Kind.MOVED, statement)

    def supplied(self) -> set[str]:
        """The names that come from tf1mem.v1 afterwards and that TensorFlow 2 hasn't got, in compat.v1 either."""
        imports, moving = self.facts.imports, {statement.start_byte for statement in self._decided[0]}
        found: set[str | None] = set()
        for binding in imports.bindings:
            if binding.statement.start_byte in moving:
                found.add(_supplied(tf1_name(binding.path or "") or ""))
                found.update(_supplied(dotted) for dotted, _ in imports.uses(binding, _is_supplied))
        return {name for name in found if name is not None}

    def findings(self, code: str) -> Iterator[Finding]:
        """Why names of TensorFlow 1 stay where they are."""
        if code == STAYS:
            yield from self._decided[1]

    @cached_property
    def _decided(self) -> tuple[list[Node], list[Note]]:
        facts, imports = self.facts, self.facts.imports
        public = [found for found in imports.bindings if tf1_name(found.path or "") is not None]
        asked = [found for found in public if _is_evidence(facts, found)]
        of_v1 = [found for found in public if found not in asked and _is_v1_in_use(facts, found)]
        if self.for_graphs or imports.is_for_graphs:
            asked += of_v1
            asked += [found for found in public if found not in asked and _has_lost_files(facts, found)]
        elif not asked and of_v1:
            return [], [_has_all(of_v1[0].statement)]
        elif asked and not imports.is_eager_in_tf1 and imports.knows_tf2:
            return [], list(_gone_names(facts, asked))
        elif asked and all(function_of(found.statement) for found in asked) and not is_main(facts):
            return [], [_in_a_function(asked[0].statement)]
        if not asked or _is_a_keras_program(facts, asked):
            return [], []
        return list(_moving(facts, public, asked + of_v1)), []


def _supplied(dotted: str) -> str | None:
    """The name that tf1mem.v1 supplies of a dotted name; None where it supplies nothing."""
    top, _, rest = dotted.partition(".")
    if top == "python":
        return internals.moved(dotted)
    if top == "examples":
        return ".".join(dotted.split(".")[:4]) if contrib.has_example(rest) and rest.count(".") > 1 else None
    is_name = top == "contrib" and rest and contrib.shortened(rest) not in contrib.NAMESPACES
    return dotted if is_name and contrib.lacks(rest, NEWEST) is None else None


def _is_supplied(dotted: str) -> bool:
    return _supplied(dotted) is not None


def _moving(facts: Facts, public: list[Binding], asked: list[Binding]) -> Iterator[Node]:
    moving = {found.statement.start_byte for found in asked}
    for found in public:
        alternative = any(
            other.scope is found.scope and facts.text(other.node) == facts.text(found.node) for other in asked
        )
        if alternative or _moves_along(found.path or ""):
            moving.add(found.statement.start_byte)
    for statement in facts.imports.statements:
        if statement.start_byte in moving or _is_star_that_moves(facts, statement):
            yield statement


def _gone_names(facts: Facts, asked: list[Binding]) -> Iterator[Note]:
    """Each name that TensorFlow 2 hasn't got, once."""
    told: set[str] = set()
    for binding in asked:
        for dotted, node in facts.imports.gone_uses(binding):
            if dotted in told or facts.guarded(node):
                continue
            told.add(dotted)
            here = f"Write tf.compat.v1.{dotted}, or what took its place in TensorFlow 2"
            yield remark(
                node,
                f"the file is written for TensorFlow 2 too, which has no tf.{dotted}, so its imports stay",
                f"Write what took its place in TensorFlow 2, or {_RUN}." if is_gone_from_v1(dotted) else here + ".",
            )


def _has_all(statement: Node) -> Note:
    return remark(
        statement,
        "TensorFlow 2 has all that is taken from compat.v1 here, so the import stays",
        f"If the program is to run as it did in TensorFlow 1: call tf.disable_v2_behavior() first, or {_RUN}.",
    )


def _in_a_function(statement: Node) -> Note:
    return remark(
        statement,
        "TensorFlow 1's API is imported for one function, whichever program calls it, so the import stays",
        f"Take from tensorflow.compat.v1 what TensorFlow 2 has only there, or {_RUN}.",
    )


def _is_v1_in_use(facts: Facts, binding: Binding) -> bool:
    """Whether something of TensorFlow 1's is used through a binding that TensorFlow 2 has, in compat.v1."""
    return is_public_tensorflow(binding.path or "") and any(
        not facts.guarded(node) and any(map(is_compat_v1, facts.names.paths(node)))
        for _, node in facts.imports.v1_uses(binding)
    )


def _is_evidence(facts: Facts, binding: Binding) -> bool:
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


def _has_lost_files(facts: Facts, binding: Binding) -> bool:
    """Returns True if a name of TensorFlow's own files is used that TensorFlow 2 lacks and tf1mem.v1 has."""
    path = binding.path or ""
    name = tf1_name(path) or ""
    if not path.startswith("tensorflow.python.") or shim_module(path.rpartition(".")[0]) is None:
        return False
    used = [name] if tf2_names.lacking(name) else [name + rest for rest, _ in facts.imports.chains(binding, len)]
    return any(map(internals.moved, filter(tf2_names.lacking, used)))


def _moves_along(path: str) -> bool:
    """Whether a module goes where TensorFlow goes: its Keras, and files of its own whose names have moved.

    Keras as a package by itself stays: other files of the program import it too, and two Kerases don't mix.
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


def _is_a_keras_program(facts: Facts, asked: list[Binding]) -> bool:
    """Whether Keras is a package by itself here, and TensorFlow 1 is only there for its settings.

    Such a program runs on any Keras, other files of it too, if it is left with that one.
    """
    if not any((found.path or "").split(".")[0] == "keras" for found in facts.imports.bindings):
        return False
    uses = [found for binding in asked for found in facts.imports.gone_uses(binding) if not _SETTINGS.match(found[0])]
    if any(dotted not in keras_sessions.SESSIONS for dotted, _ in uses):
        return False
    sessions = {found.session.start_byte for found in keras_sessions.find(facts)} if uses else ()
    return all(node.start_byte in sessions for _, node in uses)
