"""Names from `from … import *` can't be distinguished from others, so their uses need a decision by hand."""

from __future__ import annotations

import re
from typing import Iterator

from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source.paths import dotted_text, tf1_name

rule = Rule(
    "TFM004",
    words=(b"tensorflow import *", b"v1 import *", b"python import *", b"config_pb2 import *", b"contrib import *"),
    examples=(
        Example("from tensorflow import *\nsess = Session()\n", remarks=("TFM004",)),
        Example("from tensorflow.compat.v1 import *\nc = ConfigProto()\n", remarks=("TFM004",)),
        Example("from tensorflow.keras.layers import *\nDense(1)\n"),
    ),
)

_STAR = re.compile(rb"(?m)^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*\(?[ \t]*(\*)")
# Modules whose star import brings settings, or TensorFlow 1's own names.
_OF_INTEREST = ("", "python", "train")


@rule
def star_imports(facts: Facts) -> Iterator[Note]:
    """Yields a remark for each star import from TensorFlow that may bring a config or a consumer of one."""
    if b"import *" not in facts.source.text:
        return
    for star in _STAR.finditer(facts.source.text):
        path = dotted_text(star.group(1))
        name = tf1_name(path)
        node = facts.source.node_at(star.start(2), star.end(2))
        if name is None or name not in _OF_INTEREST or node is None:
            continue
        statement = node.parent
        if node.type == "wildcard_import" or (statement is not None and statement.type == "wildcard_import"):
            yield Note(
                star.start(2), f"names of {path} come by a star import",
                "Import the names one by one, or write `from tf1mem.v1 import *`.",
            )  # fmt: skip
