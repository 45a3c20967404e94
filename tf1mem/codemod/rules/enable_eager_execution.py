"""The config of `tf.enable_eager_execution` is applied before that call, by `tf1mem.apply`.

`tf1mem.apply` makes the eager context and passes it the config; after that, TensorFlow 1.14 and 1.15 refuse a config in
this call. TensorFlow 1.13 makes the context only in this call, and has no other way to configure it.
"""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts import consumers
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, remark, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.rules import BOTH, HEAD, Example, Rule
from tf1mem.codemod.source.edits import keep_only
from tf1mem.codemod.source.syntax import arguments, callee, is_statement
from tf1mem.codemod.targets import apply
from tf1mem.settings import takers

rule = Rule(
    "TFM208",
    shown_for="apply",
    versions="1.14 to 2.22",
    examples=(
        Example(HEAD + "tf.enable_eager_execution()\n"),
        Example(HEAD + "main(tf.enable_eager_execution(config=config))\n", remarks=("TFM208",)),
        Example(
            HEAD + "tf.enable_eager_execution(config=config)\n",
            BOTH + "tf1mem.apply(config)\ntf.enable_eager_execution()\n",
        ),
        Example(
            "import tensorflow.compat.v1 as tf\nif x: tf.enable_eager_execution(tf.ConfigProto())  # eager\n",
            "import tf1mem\nimport tensorflow.compat.v1 as tf\n"
            "if x: tf1mem.apply(tf.ConfigProto()); tf.enable_eager_execution()  # eager\n",
        ),
        Example(
            HEAD + "def f():\n    tf.enable_eager_execution(\n        config=config, device_policy=policy)\n",
            BOTH + "def f():\n    tf1mem.apply(config)\n    tf.enable_eager_execution(device_policy=policy)\n",
        ),
    ),
)


@rule
def enable_eager_execution(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields a finding for each call of enable_eager_execution."""
    for call in apply.unsettled(facts, claims, takers.EAGER):
        config = consumers.config_of(facts, call, takers.EAGER)
        if config is None or consumers.is_applied(facts, config) or consumers.is_of_tf1_alone(facts, call):
            continue
        if not is_statement(call):
            yield remark(
                call, "enable_eager_execution takes a config inside an expression",
                "Call tf1mem.apply(config) in a line before it, and leave the config out.",
            )  # fmt: skip
            continue
        edits = _edits(facts, call, config)
        yield rewrite(call, "its config is applied before it, by tf1mem.apply", *edits, imports_tf1mem=True)


def _edits(facts: Facts, call: Node, config: Node) -> tuple[Edit, Edit]:
    """Returns edits that leave the config in its place, so that other rules can change its inside."""
    source = facts.source
    indentation = source.text[source.line_start(call.start_byte) : call.start_byte]
    between = b"; " if indentation.strip() else source.newline + indentation
    others = [child for child in arguments(call) if not child.start_byte <= config.start_byte < child.end_byte]
    again = facts.text(callee(call)) + b"(" + b", ".join(map(facts.text, others)) + b")"
    return keep_only(call, config, b"tf1mem.apply(", b")" + between + again)
