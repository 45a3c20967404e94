"""`keras.backend.tensorflow_backend`, removed in Keras 2.4, becomes `keras.backend`, which has the same public names.

In a file that also uses another of Keras's backends, the name stays: Keras's own tests compare the backends.
"""

from __future__ import annotations

import re
from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import ClaimKind, Claims
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, remark, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source.edits import replace
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.syntax import import_items, imported_module

_MODULE = "keras.backend.tensorflow_backend"
# Keras's other backends: files that name one stay as they are.
_OTHERS = ("theano_backend", "cntk_backend")

rule = Rule(
    "TFM112",
    words=(b"tensorflow_backend",),
    examples=(
        Example("import keras.backend as K\nK.clear_session()\n"),
        Example(
            "from keras.backend import theano_backend as KTH\nfrom keras.backend import tensorflow_backend as KTF\n"
            "for K in (KTH, KTF):\n    K.eval(x)\n",
        ),
        Example("import keras.backend.tensorflow_backend as K\nK._get_available_gpus()\n", remarks=("TFM112",)),
        Example(
            "import keras.backend.tensorflow_backend as KTF\nKTF.clear_session()\n",
            "import keras.backend as KTF\nKTF.clear_session()\n",
        ),
        Example(
            "from keras.backend import tensorflow_backend as K\nK.clear_session()\n",
            "from keras import backend as K\nK.clear_session()\n",
        ),
        Example(
            "from keras.backend import tensorflow_backend\ntensorflow_backend.clear_session()\n",
            "from keras import backend as tensorflow_backend\ntensorflow_backend.clear_session()\n",
        ),
        Example(
            "from keras.backend.tensorflow_backend import clear_session\nclear_session()\n",
            "from keras.backend import clear_session\nclear_session()\n",
        ),
    ),
)


@rule
def backend_module(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields a finding for each import of `keras.backend.tensorflow_backend`, or from it, that is still needed."""
    if not facts.mentions("tensorflow_backend") or any(map(facts.mentions, _OTHERS)):
        return
    for binding in facts.imports.bindings:
        statement = binding.statement
        path = binding.path or ""
        if not (path == _MODULE or path.startswith(_MODULE + ".")) or claims.has(ClaimKind.NEEDLESS, statement):
            continue
        edits = list(_edits(facts, statement))
        if _uses_what_is_private(facts, binding) or len(import_items(statement)) != 1 or not edits:
            yield remark(
                statement,
                "keras.backend.tensorflow_backend was removed in Keras 2.4",
                "Use keras.backend; its private names no longer exist.",
            )
        else:
            yield rewrite(statement, "imports keras.backend", *edits)


def _uses_what_is_private(facts: Facts, binding: Binding) -> bool:
    word = re.escape(facts.text(binding.node))
    return re.search(rb"(?<![\w.])%b\._" % word, facts.source.text) is not None


def _edits(facts: Facts, statement: Node) -> Iterator[Edit]:
    item, module = import_items(statement)[0], imported_module(statement)
    if module is None:
        if item.alias is not None:
            yield replace(item.name, b"keras.backend")
    elif facts.text(module) == _MODULE.encode():
        yield replace(module, b"keras.backend")
    else:
        yield replace(module, b"keras")
        yield replace(item.name, b"backend" if item.alias is not None else b"backend as tensorflow_backend")
