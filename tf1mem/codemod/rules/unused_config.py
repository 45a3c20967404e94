"""A config that its file passes to no function has no effect, as before, and gets a remark."""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.facts import consumers
from tf1mem.codemod.facts.flow import Flow, follow
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note, remark
from tf1mem.codemod.rules import HEAD, Example, Rule
from tf1mem.codemod.source.syntax import arguments, assignment_of, callee, leaf_of, target

# Functions that only read a config, or write to it.
_LOOKING = frozenset(
    "print str repr bool id type isinstance hasattr getattr setattr len vars dir Merge Parse ParseDict MessageToString"
    " MessageToDict MessageToJson info debug warning format pprint".split()
)

rule = Rule(
    "TFM220",
    to=("apply",),
    examples=(
        Example(HEAD + "def f():\n    return tf.compat.v1.ConfigProto()\n"),
        Example(HEAD + "config = tf.compat.v1.ConfigProto()\nuse(config)\n"),
        Example(HEAD + "configs = {'a': tf.compat.v1.ConfigProto()}\n"),
        Example(HEAD + "def f():\n    return tf.compat.v1.ConfigProto()\nconfig = f()\n"),
        Example(HEAD + "class A:\n    def __init__(self):\n        self.config = tf.compat.v1.ConfigProto()\n"),
        Example(HEAD + "class A:\n    config = tf.compat.v1.ConfigProto()\n"),
        Example(HEAD + "setattr(self, name, tf.compat.v1.ConfigProto())\n"),
        Example(
            HEAD + "config = tf.compat.v1.ConfigProto()\nconfig.gpu_options.allow_growth = True\n"
            "sess = tf.compat.v1.Session()\n",
            remarks=("TFM220",),
        ),
        Example(HEAD + "def f():\n    config = tf.compat.v1.ConfigProto()\n    print(config)\n", remarks=("TFM220",)),
        Example(HEAD + "def f():\n    config = tf.compat.v1.ConfigProto()\nstart(f())\n", remarks=("TFM220",)),
    ),
)


@rule
def unused_config(facts: Facts) -> Iterator[Note]:
    """Yields a remark for each ConfigProto that is made and then only written to."""
    for creation in consumers.calls(facts, "ConfigProto"):
        if not _is_of_a_class(facts, creation) and _reaches_nobody(facts, follow(facts, creation)):
            why, remedy = consumers.why_unused(facts, creation)
            yield remark(
                creation, f"this config has no effect: {why}",
                f"{remedy}; or call tf1mem.apply with it before the first op if it is meant to have an effect.",
            )  # fmt: skip


def _is_of_a_class(facts: Facts, creation: Node) -> bool:
    """Returns True for a config that is an attribute of a class, which its objects and importers can read."""
    assignment = assignment_of(creation)
    held = None if assignment is None else target(assignment)
    return held is not None and any(
        binding.node == held and binding.scope.kind == "class" for binding in facts.names.bindings(facts.text(held))
    )


def _reaches_nobody(facts: Facts, flow: Flow) -> bool:
    names = [
        facts.decoded(leaf_of(callee(argument.call)))
        for argument in flow.arguments
        if not (facts.text(callee(argument.call)) == b"setattr" and arguments(argument.call)[0] != argument.value)
    ]
    is_put = len(names) < len(flow.arguments)  # setattr(self, "config", config)
    return not is_put and not flow.exits and not flow.methods and _LOOKING.issuperset(names)
