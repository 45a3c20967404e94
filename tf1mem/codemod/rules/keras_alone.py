"""The separate package Keras needs a decision by hand if it is used with TensorFlow 1's API or with a Session.

Other files of a program import the same Keras, and layers of two Keras packages don't mix. A program that passed Keras
a Session was written for Keras 2; it continues with the installed Keras, which is Keras 3 beside TensorFlow 2.16 and
newer.
"""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.claims import ClaimKind, Claims
from tf1mem.codemod.facts.keras_sessions import set_session_calls
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note, remark
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source.syntax import callee

rule = Rule(
    "TFM111",
    to=("shim",),
    of_changed=True,
    examples=(
        Example("import keras\nkeras.layers.Dense(1)\n"),
        Example("import keras\nimport tensorflow as tf\nx = tf.constant(1)\n"),
        Example(
            "import keras\nimport tensorflow as tf\nsess = tf.Session()\n",
            "import keras\nimport tf1mem.v1 as tf\nsess = tf.Session()\n",
            remarks=("TFM111",),
        ),
    ),
)
_REMEDY = (
    "Import it from tf1mem.v1 in every file of the program (`from tf1mem.v1 import keras`), "
    "or leave the source as it is and start it by `tf1mem run`."
)


@rule
def keras_alone(facts: Facts, claims: Claims) -> Iterator[Note]:
    """Yields a remark for the first remaining import of Keras, if imports move to tf1mem.v1 or Keras gets a Session."""
    statements = [binding.statement for binding in facts.imports.bindings if _is_keras(binding.path or "")]
    if not statements:
        return
    staying = next(
        (statement for statement in statements if not claims.has(ClaimKind.NEEDLESS, statement)), statements[0]
    )
    if claims.moves_any:
        message = "Keras is imported by itself; Keras 3 doesn't run under TensorFlow 1's behavior"
        yield remark(staying, message, _REMEDY)
    elif any(all(map(_is_keras, facts.names.paths(callee(call)))) for call in set_session_calls(facts)):
        message = "Keras 2 gets a Session here, and the installed Keras may be Keras 3, which has other names"
        yield remark(staying, message, _REMEDY)


def _is_keras(path: str) -> bool:
    return path.split(".", maxsplit=1)[0] == "keras"
