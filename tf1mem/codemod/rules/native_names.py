"""Experimental names of `tf.config` become the current ones if TensorFlow 2 refuses them or will remove them.

TensorFlow 2.4 and later call `virtual_devices` `logical_devices`, and raise TypeError for the old name. Two names are
deprecated. Others (`tf.config.experimental.list_physical_devices`) are the same functions in TensorFlow 2.4, 2.10 and
2.21 as those without `experimental`, and need nothing. Names under a version test stay.
"""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, rewrite
from tf1mem.codemod.rules import HEAD, Example, Rule
from tf1mem.codemod.source.edits import replace
from tf1mem.codemod.source.syntax import arguments, attribute, attribute_named, call_of, keyword

# TensorFlow 2.4 to 2.22 have all of the new names: checked in each of them.
NAMES = {
    "config.experimental_run_functions_eagerly": "config.run_functions_eagerly",
    "config.experimental_functions_run_eagerly": "config.functions_run_eagerly",
}
# The only function with a renamed argument, and the argument's names before TensorFlow 2.4 and from then on.
SPLIT, OLD_ARGUMENT, NEW_ARGUMENT = (
    "config.experimental.set_virtual_device_configuration",
    "virtual_devices",
    "logical_devices",
)

rule = Rule(
    "TFM303",
    to=("native",),
    versions="2.4 to 2.22",
    words=(b"un_functions_eagerly", b"unctions_run_eagerly"),
    examples=(
        Example(HEAD + "gpus = tf.config.list_physical_devices('GPU')\n"),
        Example(HEAD + "tf.config.experimental.set_memory_growth(gpu, True)\n"),
        Example(
            HEAD + "gpus = tf.config.experimental.list_physical_devices('GPU')\n"
            "tf.config.experimental.set_visible_devices(gpus[0], 'GPU')\n"
            "tf.config.experimental.set_virtual_device_configuration(\n"
            "    gpus[0], [tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1024)])\n"
            "print(tf.config.experimental.list_logical_devices('GPU'))\n",
        ),
        Example("import own as tf\ntf.config.experimental_run_functions_eagerly(True)\n"),
        Example(
            HEAD + "try:\n    tf.config.run_functions_eagerly(True)\n"
            "except AttributeError:\n    tf.config.experimental_run_functions_eagerly(True)\n"
        ),
        Example(
            HEAD + "tf.config.experimental_run_functions_eagerly(True)\n",
            HEAD + "tf.config.run_functions_eagerly(True)\n",
        ),
        Example(
            "import tensorflow.compat.v1 as tf\ntf.config.experimental.set_virtual_device_configuration(\n"
            "    gpu, virtual_devices=[tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1024)])\n",
            "import tensorflow.compat.v1 as tf\ntf.config.experimental.set_virtual_device_configuration(\n"
            "    gpu, logical_devices=[tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1024)])\n",
        ),
    ),
)


@rule
def native_names(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields a rewrite for each use of a name of `NAMES`, and for each call with the renamed argument."""
    if not facts.mentions("experimental"):
        return
    for old, new in NAMES.items():
        for node in _named(facts, claims, old):
            parts = attribute(node)
            assert parts is not None
            leaf = new.rpartition(".")[2].encode()
            yield rewrite(node, f"tf.{old} is tf.{new} today", replace(parts.leaf, leaf))
    for node in _named(facts, claims, SPLIT):
        call = call_of(node)
        for pair in map(keyword, arguments(call) if call is not None else ()):
            if pair is not None and facts.text(pair.name) == OLD_ARGUMENT.encode():
                yield rewrite(
                    node, f"{OLD_ARGUMENT} is {NEW_ARGUMENT} today", replace(pair.name, NEW_ARGUMENT.encode())
                )


def _named(facts: Facts, claims: Claims, name: str) -> Iterator[Node]:
    """Yields the nodes that mean a name of TensorFlow, without those under a version test and those claimed."""
    for leaf in facts.source.identifiers(name.rpartition(".")[2].encode()):
        node = attribute_named(leaf)
        if node is not None and facts.tf1_name(node) == name and not facts.guarded(node) and not claims.covers(node):
            yield node
