"""Sessions of one file whose configs differ in settings that are read once get a remark: the first one counts.

TensorFlow 1 took the GPU settings and the numbers of threads from the first Session of a process, and ignored those of
later ones. `tf1mem.apply` reports it: for the second Session it raises RuntimeAlreadyStarted. If one call makes both
Sessions, in a loop or in a function that is called again with another value, the remark is at this call.
"""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.facts import consumers, flow, keras_sessions, repeats
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
_MADE = (
    "import tf1mem\nimport tensorflow as tf\ndef run(n):\n"
    "    config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=n)\n"
    "    with tf.compat.v1.Session(config=tf1mem.apply(config)) as sess:\n        sess.run(x)\n"
)
# The first parts of fields that TensorFlow reads once in a process.
_ONCE = ("gpu_options", "intra_op_parallelism_threads", "inter_op_parallelism_threads")
_REMEDY = "In one process the first config counts, in TensorFlow 1 too: use the same config for both Sessions."

rule = Rule(
    "TFM222",
    to=("apply", "native"),
    of_result=True,
    examples=(
        Example(_HEAD + _FIRST + _SECOND),
        Example(_HEAD + _GROWTH + "def f():\n    " + _FIRST + "def g():\n    " + _SECOND),
        Example(_HEAD + _GROWTH + _FIRST + _SECOND, remarks=("TFM222",)),
        Example(_HEAD + "b.inter_op_parallelism_threads = 2\n" + _FIRST + _SECOND, remarks=("TFM222",)),
        Example(_MADE + "run(2)\nrun(2)\n"),
        Example(_MADE + "if train:\n    run(2)\nelse:\n    run(4)\n"),
        Example(_MADE + "run(2)\nrun(4)\n", remarks=("TFM222",)),
        Example(_MADE + "for n in (2, 4):\n    run(n)\n", remarks=("TFM222",)),
    ),
)


@rule
def configs_that_differ(facts: Facts) -> Iterator[Note]:
    """Yields remarks for Sessions whose config differs from the first one of their function, or from call to call."""
    sessions: list[tuple[Node, frozenset[str]]] = []
    again: dict[int, Note] = {}
    for creation in consumers.calls(facts, "ConfigProto"):
        config_flow = flow.follow(facts, creation)
        for call in (argument.call for argument in config_flow.arguments if _is_consumer(facts, argument.call)):
            sets = [entry for entry in config_flow.sets if not _is_behind(entry.node, call)]
            once = [
                entry for entry in [*flow.keywords(facts, creation), *sets] if entry.path[:1] and entry.path[0] in _ONCE
            ]
            sessions.append((call, frozenset(_settings(facts, once))))
            for entry in once:
                if entry.value is not None and repeats.differs_again(facts, call, entry.value):
                    field = ".".join(entry.path)
                    message = f"its config may have another {field} each time, which TensorFlow reads once in a process"
                    again.setdefault(call.start_byte, remark(call, message + _raises(facts, call), _REMEDY))
    yield from again.values()
    sessions.sort(key=lambda entry: entry[0].start_byte)
    first: dict[Node | None, frozenset[str]] = {}
    for call, settings in sessions:
        if first.setdefault(function_of(call), settings) != settings and call.start_byte not in again:
            message = "its config has other GPU settings or threads than the previous Session's"
            yield remark(call, message + _raises(facts, call), _REMEDY)


def _raises(facts: Facts, call: Node) -> str:
    by_apply = facts.names.paths(callee(call)) == {consumers.APPLY}
    return ": tf1mem.apply raises RuntimeAlreadyStarted" if by_apply else ""


def _is_behind(node: Node, call: Node) -> bool:
    return node.start_byte > call.start_byte and function_of(node) == function_of(call)


def _is_consumer(facts: Facts, call: Node) -> bool:
    if facts.guarded(call):
        return False
    function = callee(call)
    return facts.tf1_name(function) in keras_sessions.SESSIONS or facts.names.paths(function) == {consumers.APPLY}


def _settings(facts: Facts, sets: list[flow.FieldSet]) -> Iterator[str]:
    for entry in sets:
        value = facts.decoded(entry.value) if entry.value is not None else "?"
        yield "{}={}".format(".".join(entry.path), value)
