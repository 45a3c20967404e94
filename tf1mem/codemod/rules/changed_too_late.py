"""A config that is changed after a Session was made with it gets a remark: TensorFlow has already read it."""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.facts import consumers
from tf1mem.codemod.facts.flow import Argument, FieldSet, Flow, are_alternatives, follow
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note, remark
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source.control_flow import function_of
from tf1mem.codemod.source.syntax import callee

_HEAD = "import tf1mem\nimport tensorflow as tf\nconfig = tf.compat.v1.ConfigProto()\n"
_SESSION = "sess = tf.Session(config=tf1mem.apply(config))\n"
_BRANCHES = ("if_statement", "try_statement", "match_statement")
_LATER = "config.gpu_options.allow_growth = True\n"

rule = Rule(
    "TFM221",
    to=("apply", "native"),
    of_result=True,
    examples=(
        Example(_HEAD + _LATER + _SESSION),
        Example(_HEAD + "if x:\n    " + _SESSION + "else:\n    " + _LATER + "    f(config)\n"),
        Example(_HEAD + "def f():\n    " + _SESSION + _LATER),
        Example(_HEAD + _SESSION + "config = tf.compat.v1.ConfigProto()\n" + _LATER + _SESSION),
        Example(_HEAD + _SESSION + _LATER, remarks=("TFM221",)),
    ),
)


@rule
def changed_too_late(facts: Facts) -> Iterator[Note]:
    """Yields a remark for each config with a field that is set after its first consumer, in the same function."""
    for creation in consumers.calls(facts, "ConfigProto"):
        flow = follow(facts, creation)
        consumed = [argument for argument in flow.arguments if _is_consumer(facts, argument)]
        for change in flow.sets:
            first = next((argument for argument in consumed if _is_before(argument, change)), None)
            if first is not None and not _is_bound_between(facts, flow, first.call, change.node):
                consumer = facts.decoded(callee(first.call))
                yield remark(
                    change.node,
                    f"the config is changed after it was passed to {consumer}, which doesn't see the change",
                    "Set it before the first Session, or remove it: in one process the first settings count.",
                )  # fmt: skip
                break


def _is_consumer(facts: Facts, argument: Argument) -> bool:
    if argument.name in ("config", "session_config"):
        return True
    return facts.names.paths(callee(argument.call)) == {consumers.APPLY}


def _is_before(argument: Argument, change: FieldSet) -> bool:
    call, node = argument.call, change.node
    if call.end_byte > node.start_byte or function_of(call) != function_of(node):
        return False
    return not are_alternatives(call, node, _BRANCHES)


def _is_bound_between(facts: Facts, flow: Flow, call: Node, node: Node) -> bool:
    """Returns True if the variable holds something else by then."""
    return any(
        call.end_byte <= other.node.start_byte < node.start_byte
        for name in {facts.text(binding.node) for binding in flow.bindings}
        for other in facts.names.bindings(name)
    )
