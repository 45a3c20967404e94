"""A device_count of 'gpu' or 'cpu' has never had an effect; it stays, and gets a remark.

TensorFlow looks devices up by type, in capitals: {'gpu': 0} leaves a GPU in use.
"""

from __future__ import annotations

import re
from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note, remark
from tf1mem.codemod.rules import HEAD, Example, Rule
from tf1mem.codemod.source import syntax

_CODE = "TFM405"

rule = Rule(
    _CODE,
    examples=(
        Example(HEAD + "config = tf.compat.v1.ConfigProto(device_count={'GPU': 0})\nuse(config)\n"),
        Example(HEAD + "config = tf.compat.v1.ConfigProto(device_count=dict(CPU=1))\nuse(config)\n"),
        Example(HEAD + "config = tf.compat.v1.ConfigProto(device_count={kind: 0})\nuse(config)\n"),
        Example("build(device_count={'gpu': 0})\n"),
        Example(HEAD + "c = tf.compat.v1.ConfigProto()\nbuild(device_count={'gpu': 0})\nuse(c)\n"),
        Example(HEAD + "config = tf.compat.v1.ConfigProto(device_count={'gpu': 0})\nuse(config)\n", remarks=(_CODE,)),
        Example(
            "from tensorflow.compat.v1 import ConfigProto as C\nuse(C(device_count=dict(gpu=0)))\n",
            to="apply",
            remarks=(_CODE,),
        ),
        Example(
            HEAD + "count = {u'cpu': 1, 'gpu': 0}\nuse(tf.compat.v1.ConfigProto(device_count=count))\n",
            remarks=(_CODE,),
        ),
        Example(
            HEAD + "config = tf.compat.v1.ConfigProto()\nconfig.device_count['gpu'] = 0\nuse(config)\n",
            remarks=(_CODE,),
        ),
        Example(
            HEAD + "config = tf.compat.v1.ConfigProto()\nconfig.device_count.update({'gpu': 0})\nuse(config)\n",
            remarks=(_CODE,),
        ),
    ),
)

_TYPE = re.compile(r"[A-Z][A-Z0-9_]*")


@rule
def device_count(facts: Facts) -> Iterator[Note]:
    """Yields a remark for each device type that isn't in capitals, in a dict for ConfigProto or set on it later."""
    if not facts.mentions("device_count") or not (facts.mentions("ConfigProto") and facts.imports.bindings):
        return
    for key in _passed_keys(facts):
        text = facts.source.key(key)
        kind = None if text is None else text.decode("utf-8", "replace")
        if kind is not None and not _TYPE.fullmatch(kind):
            yield remark(
                key, f"device_count counts devices by types such as 'GPU'; {kind!r} counts none",
                f"Remove it. {kind.upper()!r} would change what the program does.",
            )  # fmt: skip


def _passed_keys(facts: Facts) -> Iterator[Node]:
    """Yields the keys that are passed to a config's device_count, at its creation or later."""
    for creation in facts.calls("ConfigProto"):
        value = facts.argument(creation, "device_count")
        if value is not None:
            yield from _keys_of(facts, value)
    # Each `….device_count[key]` and `….device_count.update(…)`.
    for node in facts.source.identifiers(b"device_count"):
        named = syntax.attribute_named(node)
        subscript = syntax.subscript_of(named) if named is not None else None
        method = syntax.attribute_of(named) if named is not None else None
        call = syntax.call_of(method) if method is not None else None
        if subscript is not None:
            yield from syntax.indices(subscript)
        elif method is not None and call is not None and facts.text(syntax.leaf_of(method)) == b"update":
            yield from _keys_of_arguments(call)


def _keys_of(facts: Facts, value: Node) -> Iterator[Node]:
    """Yields the keys of a dict display, `{…}` or `dict(…)`, or of the displays that a variable is assigned."""
    if value.type == "identifier":
        assigned = facts.names.only_value(value)
        if assigned is not None and assigned.type != "identifier":
            yield from _keys_of(facts, assigned)
    elif value.type == "dictionary":
        yield from (pair.name for pair in syntax.pairs(value) if pair.name.type == "string")
    elif value.type == "call":
        function = syntax.callee(value)
        if facts.text(function) == b"dict" and not facts.names.visible(function):
            yield from _keys_of_arguments(value)


def _keys_of_arguments(call: Node) -> Iterator[Node]:
    for key in syntax.passed_keys(call):
        if key.type == "string" or (key.parent is not None and key.parent.type == "keyword_argument"):
            yield key
