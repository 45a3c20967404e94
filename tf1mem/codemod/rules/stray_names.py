"""A file that is written for TensorFlow 2, and uses a name that went with TensorFlow 1, is left for a person.

To import TensorFlow 1's API would switch TensorFlow 2's behavior off, for the whole program.
"""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note, remark
from tf1mem.codemod.rules import Example, Rule

rule = Rule(
    "TFM102",
    to=("shim",),
    examples=(
        Example("import tensorflow as tf\n@tf.function\ndef f():\n    pass\n"),
        Example("import tensorflow as tf\n@tf.function\ndef f():\n    tf.logging.info('x')\n", remarks=("TFM102",)),
        Example("import tensorflow as tf\nwith tf.GradientTape() as t:\n    tf.log(1.)\n", remarks=("TFM102",)),
    ),
)


@rule
def stray_names(facts: Facts) -> Iterator[Note]:
    """Each name that TensorFlow 2 hasn't got, once."""
    told: set[str] = set()
    for dotted, node in facts.imports.strays:
        if dotted not in told:
            told.add(dotted)
            yield remark(
                node,
                f"the file is written for TensorFlow 2, which has no tf.{dotted}",
                f"Write tf.compat.v1.{dotted}, or what took its place in TensorFlow 2.",
            )
