"""Keras as a package by itself, beside TensorFlow 1's API, is left for a person.

Other files of a program import the same Keras, and layers of two Kerases don't mix.
"""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note, remark
from tf1mem.codemod.rules import Example, Rule

rule = Rule(
    "TFM111",
    to=("shim",),
    of_changed=True,
    examples=(
        Example("import keras\nkeras.layers.Dense(1)\n"),
        Example("import keras\nimport tensorflow as tf\nx = tf.constant(1)\n"),
    ),
)


@rule
def keras_alone(facts: Facts, claims: Claims) -> Iterator[Note]:
    """The first import of Keras in a module whose TensorFlow moves."""
    if not claims.moves_any:
        return
    for binding in facts.imports.bindings:
        if (binding.path or "").split(".")[0] == "keras":
            yield remark(
                binding.statement,
                "Keras is imported by itself; Keras 3 doesn't run under TensorFlow 1's behavior",
                "Import it from tf1mem.v1 in every file of the program (`from tf1mem.v1 import keras`), "
                "or leave the source as it is and start it by `tf1mem run`.",
            )
            return
