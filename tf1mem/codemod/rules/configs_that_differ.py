"""Sessions of one file whose configs ask different things of the GPUs are shown: in one process the first counts.

TensorFlow 1 took the GPU settings of the first Session of a process and ignored those of the others. `tf1mem.apply`
says so: for the second it raises RuntimeAlreadyStarted.
"""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.facts import consumers, flow, keras_sessions
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note, remark
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source.control_flow import function_of
from tf1mem.codemod.source.syntax import callee

_HEAD = (
    "import tf1mem\nimport tensorflow as tf\na = tf.compat.v1.ConfigProto()\nb = tf.compat.v1.ConfigProto()\n"
    "b.allow_soft_placement = True\n"
)
_GROWTH = "b.gpu_options.allow_growth = True\n"
_FIRST = "sess = tf.compat.v1.Session(config=tf1mem.apply(a))\n"
_SECOND = "other = tf.compat.v1.Session(config=tf1mem.apply(b))\n"

rule = Rule(
    "TFM222",
    to=("apply", "native"),
    of_result=True,
    examples=(
        Example(_HEAD + _FIRST + _SECOND),
        Example(_HEAD + _GROWTH + "def f():\n    " + _FIRST + "def g():\n    " + _SECOND),
        Example(_HEAD + _GROWTH + _FIRST + _SECOND, remarks=("TFM222",)),
    ),
)


@rule
def configs_that_differ(facts: Facts) -> Iterator[Note]:
    """Each Session, after the first of its function, whose config says something else of the GPUs."""
    asked: list[tuple[Node, frozenset[str]]] = []
    for made in consumers.calls(facts, "ConfigProto"):
        found = flow.follow(facts, made)
        for call in (argument.call for argument in found.arguments if _is_consumer(facts, argument.call)):
            sets = [entry for entry in found.sets if not _is_behind(entry.node, call)]
            asked.append((call, frozenset(_of_gpus(facts, [*flow.keywords(facts, made), *sets]))))
    asked.sort(key=lambda entry: entry[0].start_byte)
    first: dict[Node | None, frozenset[str]] = {}
    for call, said in asked:
        function = function_of(call)
        if first.setdefault(function, said) != said:
            message = "its config asks other things of the GPUs than that of the Session before it"
            if facts.names.paths(callee(call)) == {consumers.APPLY}:
                message += ": tf1mem.apply raises RuntimeAlreadyStarted"
            remedy = "In one process the first counts, in TensorFlow 1 too: give both the same GPU settings."
            yield remark(call, message, remedy)


def _is_behind(node: Node, call: Node) -> bool:
    return node.start_byte > call.start_byte and function_of(node) == function_of(call)


def _is_consumer(facts: Facts, call: Node) -> bool:
    if facts.guarded(call):
        return False
    function = callee(call)
    return facts.tf1_name(function) in keras_sessions.SESSIONS or facts.names.paths(function) == {consumers.APPLY}


def _of_gpus(facts: Facts, sets: list[flow.FieldSet]) -> Iterator[str]:
    for entry in sets:
        if entry.path[:1] == ("gpu_options",):
            value = facts.decoded(entry.value) if entry.value is not None else "?"
            yield "{}={}".format(".".join(entry.path), value)
