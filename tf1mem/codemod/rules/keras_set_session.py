"""A Session that is passed to Keras only for its settings becomes `tf1mem.apply(config)`.

Keras 3 has no set_session, and Keras on TensorFlow 2 no Session: such a Session only serves its settings. A Session
with other uses, and the program's own set_session, stay.
"""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import ClaimKind, Claims
from tf1mem.codemod.facts import keras_sessions
from tf1mem.codemod.facts.keras_sessions import KerasSession
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, remark, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source.edits import keep_only
from tf1mem.codemod.source.paths import is_shim
from tf1mem.codemod.source.removal import without_items, without_statement
from tf1mem.codemod.source.syntax import callee, import_items

_CODE = "TFM110"
_HEAD = "import tensorflow as tf\nfrom tensorflow.keras import backend as K\n"
_SHIM = "import tf1mem\nimport tf1mem.v1 as tf\n"

rule = Rule(
    _CODE,
    examples=(
        Example("class A:\n    def f(self, tf):\n        self.set_session(tf.Session(config=c))\n"),
        Example("from own import set_session\nimport tensorflow as tf\nset_session(tf.compat.v1.Session())\n"),
        Example(
            "import keras.backend as K\nimport tensorflow as tf\nsess = tf.compat.v1.Session()\n"
            "K.set_session(sess)\nsess.run(x)\n",
            to="apply",
            remarks=(_CODE,),
        ),
        Example(
            "import keras.backend as K\nimport tf1mem\nimport tensorflow as tf\nK.get_session().close()\n"
            "K.set_session(tf.compat.v1.Session(config=tf1mem.apply(c)))\n",
            to="apply",
            remarks=(_CODE,),
        ),
        Example(
            _HEAD + "K.set_session(tf.Session(config=c))\nK.clear_session()\n",
            _SHIM + "from tf1mem.v1.keras import backend as K\ntf1mem.apply(c)\nK.clear_session()\n",
            to="shim",
        ),
        Example(
            _HEAD + "K.set_session(tf.Session(config=c))\nK.clear_session()\n",
            "import tf1mem\n" + _HEAD + "tf1mem.apply(c)\nK.clear_session()\n",
            to="apply",
        ),
        Example(
            "from keras.backend.tensorflow_backend import set_session\nimport tensorflow as tf\n"
            "sess = tf.compat.v1.Session(config=c)\nset_session(sess)  # for Keras\n",
            "import tf1mem\nimport tensorflow as tf\ntf1mem.apply(c)\n# for Keras\n",
        ),
        Example(
            "import keras.backend as K\nimport tensorflow as tf\n"
            "K.set_session(tf.compat.v1.Session(graph=tf.compat.v1.get_default_graph(), config=c))\n"
            "K.clear_session()\n",
            "import tf1mem\nimport keras.backend as K\nimport tensorflow as tf\ntf1mem.apply(c)\nK.clear_session()\n",
        ),
        Example(
            "from tensorflow.keras.backend import set_session, clear_session\nimport tensorflow as tf\n"
            "set_session(tf.compat.v1.Session(config=c))\nclear_session()\n",
            "import tf1mem\nfrom tensorflow.keras.backend import clear_session\nimport tensorflow as tf\n"
            "tf1mem.apply(c)\nclear_session()\n",
            to="apply",
        ),
        Example(
            "from keras.backend import set_session\nfrom tensorflow.compat.v1 import ConfigProto, Session\n"
            "set_session(Session(config=ConfigProto()))\n",
            "import tf1mem\nfrom tensorflow.compat.v1 import ConfigProto\ntf1mem.apply(ConfigProto())\n",
            to="apply",
        ),
        Example(
            "from keras.backend import set_session\nfrom tensorflow import ConfigProto, Session, keras\n"
            "set_session(Session(config=ConfigProto()))\n",
            "import tf1mem\nfrom tensorflow.compat.v1 import ConfigProto, Session\nfrom tensorflow import keras\n"
            "tf1mem.apply(ConfigProto())\n",
            to="apply",
        ),
        Example(
            "import tensorflow as tf\ntf.compat.v1.keras.backend.set_session(tf.compat.v1.Session(config=c))\n",
            "import tf1mem\nimport tensorflow as tf\ntf1mem.apply(c)\n",
        ),
    ),
)


@rule.claims(ClaimKind.CALL)
def sessions(facts: Facts, _: Claims) -> Iterator[tuple[int, int]]:
    """Yields the spans of Sessions that are made only for Keras."""
    for entry in keras_sessions.find(facts) if facts.mentions("set_session") else ():
        yield entry.session.start_byte, entry.session.end_byte


@rule.claims(ClaimKind.NEEDLESS)
def imports(facts: Facts, _: Claims) -> Iterator[tuple[int, int]]:
    """Yields the spans of imports that only led to set_session."""
    for statement, items in keras_sessions.imports_not_needed(facts):
        if len(items) == len(import_items(statement)):
            yield statement.start_byte, statement.end_byte


@rule
def set_session(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields a finding for each call of Keras's set_session."""
    if not facts.mentions("set_session"):
        return
    by_call = {entry.call.start_byte: entry for entry in keras_sessions.find(facts)}
    needless = _needless(facts, [entry for entry in by_call.values() if claims.has(ClaimKind.CALL, entry.call)])
    rewritten = False
    for call in keras_sessions.set_session_calls(facts):
        if claims.has(ClaimKind.CALL, call):
            continue
        entry = by_call.get(call.start_byte)
        if entry is not None and entry.config is not None:
            edits = list(_edits(facts, entry))
            if not rewritten:
                edits += [edit for statement, items in needless for edit in _without(facts, statement, items)]
            rewritten = True
            yield rewrite(call, "becomes tf1mem.apply(config)", *edits, imports_tf1mem=True)
        elif not _comes_from_tf1mem(facts, claims, call):
            yield remark(
                call,
                "Keras gets a Session for more than its config: it has none, has other uses, or replaces a closed "
                "one. Keras 3 takes no Session",
                "Call tf1mem.apply(config) before the first op, and remove set_session and get_session().close().",
            )


def _needless(facts: Facts, claimed: list[KerasSession]) -> Iterator[tuple[Node, list[Node]]]:
    """Yields imports that only set_session needs, with the items to remove; not those for calls of another rule."""
    removed = [item for _, items in keras_sessions.imports_not_needed(facts, claimed) for item in items]
    for statement, items in keras_sessions.imports_not_needed(facts):
        staying = [item for item in items if item not in removed]
        if staying:
            yield statement, staying


def _without(facts: Facts, statement: Node, items: list[Node]) -> list[Edit]:
    """Returns edits that remove names of an import, or all of it."""
    everything = [item.node for item in import_items(statement)]
    if len(items) == len(everything):
        return [without_statement(facts.source, statement)]
    return without_items(everything, items)


def _comes_from_tf1mem(facts: Facts, claims: Claims, call: Node) -> bool:
    return claims.comes_from_shim(callee(call)) or all(map(is_shim, facts.names.paths(callee(call))))


def _edits(facts: Facts, entry: KerasSession) -> Iterator[Edit]:
    assert entry.config is not None
    yield from keep_only(entry.call if entry.creation is None else entry.creation, entry.config, b"tf1mem.apply(", b")")
    if entry.creation is not None:
        statement = entry.call.parent
        assert statement is not None
        yield without_statement(facts.source, statement)
