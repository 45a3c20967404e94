"""TensorFlow that comes from another module of the program, or from a parameter, has to be settled by hand there."""

from __future__ import annotations

from itertools import chain
from typing import Iterable, Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import ClaimKind, Claims
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
# Packages that have their own ConfigProto and GPUOptions.
_OWN_CONFIGS = ("intel_extension_for_tensorflow",)
_SESSIONS = ("Session", "InteractiveSession", "MonitoredTrainingSession")


@rule.of("apply", "native")
def from_elsewhere(facts: Facts, claims: Claims) -> Iterator[Note]:
    """Yields remarks for configs made by a name that no import of this file explains."""
    return _remarks(facts, claims, facts.calls(*_BUILDERS))


@rule.of("shim")
def from_elsewhere_with_sessions(facts: Facts, claims: Claims) -> Iterator[Note]:
    """Yields remarks for configs, and also for Sessions with one, for which the other targets have rules."""
    return _remarks(facts, claims, chain(facts.calls(*_BUILDERS), _sessions_with_config(facts)))


def _remarks(facts: Facts, claims: Claims, calls: Iterable[Node]) -> Iterator[Note]:
    """Yields a remark for each name by which calls reach a TensorFlow from elsewhere, once."""
    reported: set[str] = set()
    for call in calls:
        function = callee(call)
        root = root_of(function)
        if root.type != "identifier":
            continue
        name = facts.decoded(root)
        if name in ("self", "cls") or name in reported or None not in facts.tf1_names(function):
            continue
        visible = facts.names.visible(root)
        if visible and all((binding.path or "").startswith(_OWN_CONFIGS) for binding in visible):
            continue
        is_session = facts.text(function).endswith(tuple(map(str.encode, _SESSIONS)))
        if is_session and not (visible and all(binding.kind == "import" for binding in visible)):
            continue  # the program's own Session, or a method with that name
        if is_session and claims.has(ClaimKind.CALL, call):
            continue
        reported.add(name)
        if not visible:
            where = f"`{name}` isn't imported by name in this file"
        elif all(binding.kind == "import" for binding in visible):
            where = "`{}` comes from {}".format(name, (visible[0].path or "").rpartition(".")[0] or "another module")
        else:
            where = f"`{name}` can be several things here"
        verb = "taken" if is_session else "built"
        yield Note(
            root.start_byte, f"a config is {verb} by a TensorFlow that comes from elsewhere: {where}",
            "Run the codemod on the file that imports TensorFlow, or import it here.",
        )  # fmt: skip


def _sessions_with_config(facts: Facts) -> Iterator[Node]:
    """Yields the calls that make a Session with a config, in a file that builds configs."""
    for call in facts.calls(*_SESSIONS) if any(map(facts.mentions, _BUILDERS)) else ():
        config = facts.argument(call, "config")
        if config is not None and not consumers.is_applied(facts, config):
            yield call
