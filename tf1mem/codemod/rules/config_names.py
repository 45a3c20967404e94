"""ConfigProto, GPUOptions, GraphOptions and OptimizerOptions become `tf.compat.v1.…`, which TensorFlow 1 has too.

In a file with a ConfigProto, Sessions without a config get the same spelling, so that the file doesn't use two names
for them. Names on TensorFlow 1's side of a version test stay, and so do names that are spelled `compat.v1` already.
tf_upgrade_v2 handles all other names.
"""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import ClaimKind, Claims
from tf1mem.codemod.facts.consumers import config_of
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, remark, rewrite
from tf1mem.codemod.rules import HEAD, Example, Rule
from tf1mem.codemod.source.edits import insert
from tf1mem.codemod.source.removal import without_items
from tf1mem.codemod.source.syntax import (
    attribute,
    attribute_named,
    call_of,
    enclosing,
    import_items,
    imported_module,
    is_field,
)
from tf1mem.names import tf1_names
from tf1mem.settings import takers

_NAMES = ("ConfigProto", "GPUOptions", "GraphOptions", "OptimizerOptions")
_SESSIONS = (*takers.SESSION.names, *takers.INTERACTIVE_SESSION.names)

rule = Rule(
    "TFM211",
    shown_for="apply",
    examples=(
        Example(HEAD + "print('tf.ConfigProto')  # tf.ConfigProto\n"),
        Example(HEAD + "config = tf.compat.v1.ConfigProto()\n"),
        Example("import tensorflow.compat.v1 as tf\nconfig = tf.ConfigProto()\n"),
        Example("from tensorflow.core.protobuf import config_pb2\nconfig = config_pb2.ConfigProto()\n"),
        Example("class A:\n    def f(self):\n        return self.ConfigProto()\n"),
        Example(HEAD + "if hasattr(tf, 'ConfigProto'):\n    config = tf.ConfigProto()\n"),
        Example(HEAD + "tf.ConfigProto = tf.compat.v1.ConfigProto\nconfig = tf.ConfigProto()\n"),
        Example("from keras import backend as K\nconfig = K.tf.ConfigProto()\n", remarks=("TFM211",)),
        Example(HEAD + "import tensorflow.x; from tensorflow import ConfigProto, keras\n", remarks=("TFM211",)),
        Example(
            HEAD + "config = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))\nuse(config)\n",
            HEAD + "config = tf.compat.v1.ConfigProto(gpu_options=tf.compat.v1.GPUOptions(allow_growth=True))\n"
            "use(config)\n",
        ),
        Example(
            "import tensorflow\nlevel = tensorflow.OptimizerOptions.ON_1\n"
            "assert isinstance(config, tensorflow.ConfigProto)\n",
            "import tensorflow\nlevel = tensorflow.compat.v1.OptimizerOptions.ON_1\n"
            "assert isinstance(config, tensorflow.compat.v1.ConfigProto)\n",
        ),
        Example(
            HEAD + "config = tf.compat.v1.ConfigProto()\nuse(config)\nsess = tf.Session()\n",
            HEAD + "config = tf.compat.v1.ConfigProto()\nuse(config)\nsess = tf.compat.v1.Session()\n",
        ),
        Example(
            "def f():\n    import tensorflow as T\n    return T.ConfigProto()\n",
            "def f():\n    import tensorflow as T\n    return T.compat.v1.ConfigProto()\n",
        ),
        Example(
            "from tensorflow import ConfigProto, Session as S\n",
            "from tensorflow.compat.v1 import ConfigProto, Session as S\n",
        ),
        Example(
            "from tensorflow import keras, ConfigProto\n",
            "from tensorflow.compat.v1 import ConfigProto\nfrom tensorflow import keras\n",
        ),
        Example(
            "from tensorflow import ConfigProto, keras, Session as S\nuse(S)\n",
            "from tensorflow.compat.v1 import ConfigProto, Session as S\nfrom tensorflow import keras\nuse(S)\n",
        ),
        Example(
            "if True:\n    from tensorflow import (\n        GPUOptions as G,\n        keras,  # theirs\n    )\n",
            "if True:\n    from tensorflow.compat.v1 import GPUOptions as G\n"
            "    from tensorflow import (\n        keras,  # theirs\n    )\n",
        ),
    ),
)


@rule
def config_names(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields a rewrite for each use or import of ConfigProto and its messages, and of Sessions beside them."""
    statements: dict[int, Node] = {}
    for name in _NAMES:
        if not facts.mentions(name):
            continue
        nodes = facts.source.identifiers(name.encode())
        if any(_is_assigned(node) for node in nodes):
            continue  # the program itself assigns the name there
        for node in nodes:
            above, statement = node.parent, enclosing(node, "import_from_statement")
            if above is None or claims.covers(node):
                continue
            if statement is not None:
                if above.type == "dotted_name" and not claims.has(ClaimKind.MOVED, statement):
                    statements[statement.start_byte] = statement
            elif attribute_named(node) is not None and not claims.comes_from_shim(above):
                yield from _read(facts, above, name)
    for statement in statements.values():
        yield from _imported(facts, statement)


@rule.of("apply", "native")
def names_of_sessions(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields a rewrite for each Session without a config, in a file that makes configs."""
    for name in _SESSIONS if facts.mentions(_NAMES[0]) else ():
        for read in map(attribute_named, facts.source.identifiers(name.encode())):
            if read is not None and not claims.covers(read) and not _takes_config(facts, read):
                yield from _read(facts, read, name)


def _takes_config(facts: Facts, function: Node) -> bool:
    """Returns True if a function makes a Session with a config: the rule for the config also changes the name."""
    call = call_of(function)
    return call is not None and config_of(facts, call, takers.SESSION) is not None


def _is_assigned(node: Node) -> bool:
    named = node.parent
    above = named.parent if named is not None and named.type == "attribute" else None
    return above is not None and named is not None and is_field(above, "left", named)


def _read(facts: Facts, node: Node, name: str) -> Iterator[Finding]:
    """Yields the finding for a config's class that is read as an attribute: `tf.ConfigProto`."""
    paths, parts = facts.names.paths(node), attribute(node)
    assert parts is not None
    if paths == {"tensorflow." + name} and not facts.guarded(node):
        message = f"{name} becomes tf.compat.v1.{name}"
        yield rewrite(node, message, insert(parts.object.end_byte, b".compat.v1"))
    elif facts.tf1_name(node) == name and all(".backend." in path for path in paths):
        yield remark(
            node, "TensorFlow is taken from Keras's backend, which newer versions of Keras lack",
            f"Import tensorflow as tf, and write tf.compat.v1.{name}.",
        )  # fmt: skip


def _imported(facts: Facts, statement: Node) -> Iterator[Finding]:
    """Rewrites `from tensorflow import …`: the whole statement to compat.v1, or only these names."""
    module = imported_module(statement)
    if module is None or facts.text(module) != b"tensorflow" or facts.guarded(statement):
        return
    names = {item.node: facts.decoded(item.name) for item in import_items(statement)}
    moving = [item for item, name in names.items() if name in (*_NAMES, *_SESSIONS)]
    if not any(names[item] in _NAMES for item in moving):
        return
    message = "{} from tensorflow.compat.v1".format(", ".join(names[item] for item in moving))
    if all(tf1_names.gone(name) and not tf1_names.gone("compat.v1." + name) for name in names.values()):
        yield rewrite(statement, message, insert(module.end_byte, b".compat.v1"))
        return
    start = facts.source.line_start(statement.start_byte)
    if facts.source.text[start : statement.start_byte].strip():
        yield remark(
            statement, "names of TensorFlow 1 are imported in a line with other statements",
            f"Import {message} on a separate line.",
        )  # fmt: skip
        return
    line = b"from tensorflow.compat.v1 import " + b", ".join(facts.text(item) for item in moving)
    new = insert(start, facts.source.indentation(start) + line + facts.source.newline)
    yield rewrite(statement, message, new, *without_items([*names], moving))
