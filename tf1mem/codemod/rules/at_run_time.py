"""TensorFlow that is imported, or a config that is built, from a string at run time needs a decision by hand.

`eval` and `exec` of source, `importlib.import_module("tensorflow")` and `__import__` can't be resolved by names.
"""

from __future__ import annotations

import re
from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note, remark
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source.syntax import arguments, callee

rule = Rule(
    "TFM007",
    # A string of `eval` or `exec` with settings contains the words by which the prefilter chooses files anyway.
    words=(b"import_module", b"__import__"),
    examples=(
        Example("import tensorflow as tf\nx = model.eval('ConfigProto')\n"),
        Example("def f():\n    return hasattr(tf, 'ConfigProto')  # import tensorflow as tf\n"),
        Example("import tensorflow\neval('tensorflow.ConfigProto()')\n", remarks=("TFM007",)),
        Example("exec('''\nimport tensorflow as tf\nconfig = tf.ConfigProto()\n''')\n", remarks=("TFM007",)),
        Example("from importlib import import_module\ntf = import_module('tensorflow')\n", remarks=("TFM007",)),
        Example("tf = __import__('tensorflow')\n", remarks=("TFM007",)),
        Example("import importlib\ntf = importlib.import_module(\n    'tensorflow.python')\n", remarks=("TFM007",)),
    ),
)

_SETTINGS = re.compile(rb"ConfigProto|GPUOptions|\bSession\(|set_session")
_IMPORTED = re.compile(rb"[\"']tensorflow(?:\.[\w.]*)?[\"']")


@rule
def at_run_time(facts: Facts) -> Iterator[Note]:
    """Yields a remark for each call of `eval`, `exec` or an import function with a string about TensorFlow."""
    for call in facts.calls("eval", "exec"):
        if callee(call).type == "identifier" and _SETTINGS.search(_first(facts, call)):
            yield remark(call, "GPU settings are in source that is run from a string", "Rewrite the string by hand.")
    for call in facts.calls("import_module", "__import__"):
        if _IMPORTED.fullmatch(_first(facts, call)):
            yield remark(
                call,
                "TensorFlow is imported by a string",
                "Import tf1mem.v1 there instead, or write an import statement.",
            )


def _first(facts: Facts, call: Node) -> bytes:
    """Returns the source of the first argument if it is a literal string, else b""."""
    passed = arguments(call)
    return facts.text(passed[0]) if passed and passed[0].type == "string" else b""
