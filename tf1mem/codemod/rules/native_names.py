"""Names of `tf.config` that are experimental no more are written as today.

`set_memory_growth` still is experimental. What is asked for under a test of the version stays.
"""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.rules import HEAD, Example, Rule
from tf1mem.codemod.source.edits import replace
from tf1mem.codemod.source.syntax import arguments, attribute, attribute_named, call_of, keyword

_OLD = "config.experimental."

# TensorFlow 2.4 to 2.22 have all of the new names: looked up in each of them.
NAMES = {
    _OLD + "list_physical_devices": "config.list_physical_devices",
    _OLD + "list_logical_devices": "config.list_logical_devices",
    _OLD + "get_visible_devices": "config.get_visible_devices",
    _OLD + "set_visible_devices": "config.set_visible_devices",
    _OLD + "VirtualDeviceConfiguration": "config.LogicalDeviceConfiguration",
    _OLD + "get_virtual_device_configuration": "config.get_logical_device_configuration",
    _OLD + "set_virtual_device_configuration": "config.set_logical_device_configuration",
    "config.experimental_run_functions_eagerly": "config.run_functions_eagerly",
    "config.experimental_functions_run_eagerly": "config.functions_run_eagerly",
}
# The one argument that changed its name with its function.
_ARGUMENTS = {_OLD + "set_virtual_device_configuration": ("virtual_devices", "logical_devices")}

rule = Rule(
    "TFM303",
    to=("native",),
    versions="2.4 to 2.22",
    words=(b"list_physical_devices", b"un_functions_eagerly", b"unctions_run_eagerly"),
    examples=(
        Example(HEAD + "gpus = tf.config.list_physical_devices('GPU')\n"),
        Example(HEAD + "tf.config.experimental.set_memory_growth(gpu, True)\n"),
        Example("import own as tf\ngpus = tf.config.experimental.list_physical_devices('GPU')\n"),
        Example(
            HEAD + "try:\n    gpus = tf.config.list_physical_devices('GPU')\n"
            "except AttributeError:\n    gpus = tf.config.experimental.list_physical_devices('GPU')\n"
        ),
        Example(
            HEAD + "gpus = tf.config.experimental.list_physical_devices('GPU')\n"
            "tf.config.experimental.set_visible_devices(gpus[0], 'GPU')\n",
            HEAD + "gpus = tf.config.list_physical_devices('GPU')\ntf.config.set_visible_devices(gpus[0], 'GPU')\n",
        ),
        Example(
            "import tensorflow.compat.v1 as tf\ntf.config.experimental.set_virtual_device_configuration(\n"
            "    gpu, virtual_devices=[tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1024)])\n",
            "import tensorflow.compat.v1 as tf\ntf.config.set_logical_device_configuration(\n"
            "    gpu, logical_devices=[tf.config.LogicalDeviceConfiguration(memory_limit=1024)])\n",
        ),
        Example(
            "from tensorflow import config\ngpus = config.experimental.list_physical_devices('GPU')\n",
            "from tensorflow import config\ngpus = config.list_physical_devices('GPU')\n",
        ),
    ),
)


@rule
def native_names(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Each of these names, where it is read."""
    if not facts.spelled("experimental"):
        return
    for old, new in NAMES.items():
        for name in facts.source.identifiers(old.rpartition(".")[2].encode()):
            node = attribute_named(name)
            if node is None or facts.tf1_name(node) != old or facts.guarded(node) or claims.covers(node):
                continue
            yield rewrite(node, f"tf.{old} is tf.{new} today", *_edits(facts, node, old, new))


def _edits(facts: Facts, node: Node, old: str, new: str) -> Iterator[Edit]:
    parts, name = attribute(node), new.rpartition(".")[2].encode()
    assert parts is not None
    inner = attribute(parts.object)
    if not old.startswith(_OLD):
        yield replace(parts.leaf, name)
    elif inner is None:  # `experimental` by an import of its own
        return
    else:
        yield Edit(inner.object.end_byte, parts.leaf.end_byte, b"." + name)
    call = call_of(node)
    before, after = _ARGUMENTS.get(old, ("", ""))
    for given in map(keyword, arguments(call) if call is not None else ()):
        if given is not None and facts.text(given.name) == before.encode():
            yield replace(given.name, after.encode())
