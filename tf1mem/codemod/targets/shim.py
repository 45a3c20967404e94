"""Target shim: which imports of a module lead to tf1mem.v1.

An import moves where something is used through it that TensorFlow 2 hasn't got any more, outside of tests of the
version; with it move its alternatives (`try: import … except ImportError: import …`) and what Keras comes by, because
tf1mem.v1 has one Keras for both.
"""

from __future__ import annotations

import re
from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import Claim, Kind, Plan, claim
from tf1mem.codemod.facts import keras_sessions
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.paths import dotted_text, is_compat_v1, is_public_tensorflow, is_shim, tf1_name
from tf1mem.codemod.source.syntax import imported_module
from tf1mem.codemod.tables.evidence import TOGGLES, is_of_old_keras

# Asked for by name, so that a program that has both TensorFlows side by side says which behavior it wants.
_WANTS_V1 = re.compile(r"\b(?:{}|{})\b".format(*TOGGLES[:2]).encode())
# All that a Keras program takes from TensorFlow 1 for its settings.
_SETTINGS = re.compile(r"(?:ConfigProto|GPUOptions|GraphOptions|OptimizerOptions)\b|keras\.backend\.set_session\Z")


class ShimPlan(Plan):
    """The imports of a module that move."""

    def claims(self) -> Iterator[Claim]:
        """The statements that lead to tf1mem.v1."""
        facts = self.facts
        public = [found for found in facts.imports.bindings if tf1_name(found.path or "") is not None]
        asked = [found for found in public if _is_evidence(facts, found)]
        if not asked or facts.imports.strays or _leaves_tf2_alone(facts, asked) or _is_a_keras_program(facts, asked):
            return
        moving = {found.statement.start_byte for found in asked}
        for found in public:
            alternative = any(
                other.scope is found.scope and facts.text(other.node) == facts.text(found.node) for other in asked
            )
            if alternative or _moves_along(found.path or ""):
                moving.add(found.statement.start_byte)
        for statement in facts.imports.statements:
            if statement.start_byte in moving or _is_star_that_moves(facts, statement):
                yield claim(Kind.MOVED, statement)


def _is_evidence(facts: Facts, binding: Binding) -> bool:
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
    return any(not facts.guarded(node) for _, node in facts.imports.gone_uses(binding))


def _moves_along(path: str) -> bool:
    """Whether a module goes where TensorFlow goes: its Keras, and what TensorFlow 2 has no place for any more.

    Keras as a package by itself stays: other files of the program import it too, and two Kerases don't mix.
    """
    name = tf1_name(path) or ""
    return not path.startswith(("keras", "tf_keras")) and (
        name.startswith("keras") or path.startswith("tensorflow.python.estimator")
    )


def _is_star_that_moves(facts: Facts, statement: Node) -> bool:
    source = imported_module(statement)
    if source is None or not any(child.type == "wildcard_import" for child in statement.children):
        return False
    path = dotted_text(facts.text(source))
    return path.startswith("tensorflow.contrib") or _moves_along(path)


def _leaves_tf2_alone(facts: Facts, asked: list[Binding]) -> bool:
    """Whether TF1's API is asked for by name beside a TensorFlow 2 that is used as such."""
    if not all(is_compat_v1(found.path or "") for found in asked) or _WANTS_V1.search(facts.source.text):
        return False
    names = {facts.text(found.node) for found in asked}
    return any(
        found.path in ("tensorflow", "tensorflow.compat.v2") and facts.text(found.node) not in names
        for found in facts.imports.bindings
    )


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
