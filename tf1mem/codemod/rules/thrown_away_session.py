"""A Session that is made only so that its options take effect, and thrown away, becomes `tf1mem.apply(config)`."""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts import consumers
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, rewrite
from tf1mem.codemod.rules import BOTH, HEAD, Example, Rule
from tf1mem.codemod.source.edits import keep_only
from tf1mem.codemod.targets import apply
from tf1mem.settings import takers

rule = Rule(
    "TFM202",
    shown_for="apply",
    examples=(
        Example(HEAD + "tf.Session()\n"),
        Example(HEAD + "tf.Session(graph=tf.Graph())\n"),
        Example(HEAD + "tf.Session(config=config)\n", BOTH + "tf1mem.apply(config)\n"),
        Example(
            "from tensorflow.compat.v1 import Session, ConfigProto\nSession(config=ConfigProto())  # grow\n",
            "import tf1mem\nfrom tensorflow.compat.v1 import Session, ConfigProto\n"
            "tf1mem.apply(ConfigProto())  # grow\n",
            to="apply",
        ),
    ),
)


@rule
def thrown_away_session(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields a rewrite for each call of Session that has a config and is a statement by itself."""
    for call in apply.unsettled(facts, claims, takers.SESSION):
        config = facts.argument(call, "config")
        if config is None or consumers.is_of_tf1_alone(facts, call):
            continue
        if consumers.is_only_for_its_options(facts, call):
            edits = keep_only(call, config, b"tf1mem.apply(", b")")
            yield rewrite(call, "becomes tf1mem.apply(config)", *edits, imports_tf1mem=True)
