"""TensorFlow that comes from another module of the program, or as a parameter, is settled there and not here."""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import Claims, Kind
from tf1mem.codemod.facts import consumers
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source.syntax import callee, root_of

rule = Rule(
    "TFM005",
    examples=(
        Example("class A:\n    def f(self):\n        return self.ConfigProto()\n"),
        Example("from own.compat import tf\nconfig = tf.ConfigProto()\n", remarks=("TFM005",)),
        Example("def f(tf):\n    return tf.ConfigProto()\n", remarks=("TFM005",)),
        Example("from own import *\nconfig = tf.ConfigProto()\n", remarks=("TFM005",)),
        Example("import intel_extension_for_tensorflow as itex\nconfig = itex.ConfigProto()\n"),
        Example(
            "from own import compat, config\nimport tensorflow as tf\n"
            "other = tf.compat.v1.ConfigProto()\ncompat.Session(config=config)\n",
            remarks=("TFM005",),
            to="shim",
        ),
    ),
)

_BUILDERS = ("ConfigProto", "GPUOptions")
# Packages that have a ConfigProto and GPUOptions of their own, of the same names.
_OWN_CONFIGS = ("intel_extension_for_tensorflow",)
_SESSIONS = ("Session", "InteractiveSession", "MonitoredTrainingSession")


@rule
def from_elsewhere(facts: Facts, claims: Claims) -> Iterator[Note]:
    """Configs built, and Sessions given one, by a name that no import of this file explains."""
    told: set[str] = set()
    for call in _asked_of_tensorflow(facts, claims):
        function = callee(call)
        root = root_of(function)
        if root.type != "identifier":
            continue
        name = facts.decoded(root)
        if name in ("self", "cls") or name in told or None not in facts.tf1_names(function):
            continue
        visible = facts.names.visible(root)
        if visible and all((binding.path or "").startswith(_OWN_CONFIGS) for binding in visible):
            continue
        is_session = facts.text(function).endswith(tuple(map(str.encode, _SESSIONS)))
        if is_session and not (visible and all(binding.kind == "import" for binding in visible)):
            continue  # a Session of the program's own, or a method that is called so
        if is_session and claims.has(Kind.CALL, call):
            continue
        told.add(name)
        if not visible:
            where = f"`{name}` isn't imported by name in this file"
        elif all(binding.kind == "import" for binding in visible):
            where = "`{}` comes from {}".format(name, (visible[0].path or "").rpartition(".")[0] or "another module")
        else:
            where = f"`{name}` can be several things here"
        what = "taken" if is_session else "built"
        yield Note(
            root.start_byte, f"a config is {what} by a TensorFlow that comes from elsewhere: {where}",
            "Run the codemod on the file that imports TensorFlow, or import it here.",
        )  # fmt: skip


def _asked_of_tensorflow(facts: Facts, claims: Claims) -> Iterator[Node]:
    """The calls that build a config; and those that take one, which target apply has rules for."""
    yield from facts.calls(*_BUILDERS)
    if claims.to == "shim" and any(map(facts.spelled, _BUILDERS)):
        for call in facts.calls(*_SESSIONS):
            config = facts.argument(call, "config")
            if config is not None and not consumers.is_applied(facts, config):
                yield call
