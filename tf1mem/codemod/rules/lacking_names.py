"""A file that stays on TensorFlow 2 uses a name that the newest TensorFlow lacks.

This rule comes last, for names that the other rules leave: names of TensorFlow's API, also in compat.v1 and
TensorFlow's Keras; names of its own files, `tensorflow.python`; and methods that only TensorFlow 1's objects have.
TensorFlow 2 means here the package that pip installs, without tf_keras and the Estimator. The targets apply and native
leave the names that compat.v1 has to tf_upgrade_v2, so these names share one remark. Names under a version test, or in
a `try` with an alternative, are left alone.
"""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import ClaimKind, Claims
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note, remark
from tf1mem.codemod.rules import HEAD, Example, Rule
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.paths import HOME, is_compat_v1, public_name, shim_module
from tf1mem.names import contrib, gone, internals, never_names, tf1_names, tf2_names
from tf1mem.names.evidence import is_evidence

_CODE = "TFM008"
_RUN = "or start the program by `tf1mem run`"

rule = Rule(
    _CODE,
    of_result=True,
    words=(b"pywrap_tensorflow",),
    examples=(
        Example(HEAD + "x = tf.constant(1)\ny = tf.compat.v1.placeholder(tf.float32)\n"),
        Example(HEAD + "if hasattr(tf, 'placeholder'):\n    x = tf.placeholder(tf.float32)\n"),
        Example(HEAD + "x = tf.placeholder(tf.float32)\n", to="apply", remarks=(_CODE,)),
        Example(HEAD + "y = tf.compat.v1.layers.dense(x, 1)\n", remarks=(_CODE,)),
        Example(HEAD + "@tf.function\ndef f(d):\n    return d.make_one_shot_iterator()\n", remarks=(_CODE,)),
        Example(HEAD + "phase = tf.keras.backend.learning_phase()\n", remarks=(_CODE,)),
        Example(
            "from tensorflow.python import pywrap_tensorflow\nr = pywrap_tensorflow.NewCheckpointReader(p)\n",
            remarks=(_CODE,),
        ),
        Example("from tensorflow.python.framework import ops\nisinstance(x, ops.Tensor)\n", remarks=(_CODE,)),
        Example("from tensorflow.python.training import training_ops\n", remarks=(_CODE,)),
    ),
)


@rule.of("shim")
def lacking_names(facts: Facts, claims: Claims) -> Iterator[Note]:
    """Yields a remark for each name that TensorFlow lacks, at its first use.

    If TFM102 explains why the imports stay, its remark has the names of TensorFlow 1's API, except Keras's.
    """
    missing = _missing(facts, claims)
    if claims.explains_stay:
        missing = {name: node for name, node in missing.items() if not is_evidence(name) or name.startswith("keras")}
    yield from _remarks(facts, claims, missing)


@rule.of("apply", "native")
def names_of_compat_v1(facts: Facts, claims: Claims) -> Iterator[Note]:
    """Yields one remark for all names that TensorFlow has only in compat.v1, and one for each name that it lacks."""
    missing = _missing(facts, claims)
    renamed = [name for name in missing if is_evidence(name) and not tf2_names.lacking("compat.v1." + name)]
    if renamed:
        yield _summary_remark(renamed, missing[renamed[0]])
    yield from _remarks(facts, claims, {name: node for name, node in missing.items() if name not in renamed})


def _missing(facts: Facts, claims: Claims) -> dict[str, Node]:
    """Returns the names that TensorFlow lacks, each with its first use."""
    missing: dict[str, Node] = {}
    for binding in facts.imports.bindings:
        if _is_settled(binding, claims):
            continue
        for path, node in _used(facts, binding):
            name = _lacking(path)
            if name and name not in missing and not facts.guarded(node) and not claims.covers(node):
                missing[name] = node
    return missing


def _remarks(facts: Facts, claims: Claims, missing: dict[str, Node]) -> Iterator[Note]:
    for name, node in missing.items():
        yield remark(node, f"TensorFlow {tf2_names.VERSION} has no {_called(name)}", _remedy(name) + ".")
    if not _has_tf1_api(facts, claims):
        for node, member, remedy in facts.lost_members:
            if not claims.covers(node):
                yield remark(node, f"TensorFlow 2 has no {member}", f"{remedy}, {_RUN}.")


def _is_settled(binding: Binding, claims: Claims) -> bool:
    """Returns True if an import isn't of TensorFlow, or is of tf1mem.v1, or moves there."""
    path = binding.path or ""
    return public_name(path) is None or path.startswith(HOME) or claims.has(ClaimKind.MOVED, binding.statement)


def _has_tf1_api(facts: Facts, claims: Claims) -> bool:
    """Returns True if the file's TensorFlow is tf1mem.v1 or compat.v1, whose datasets still have the members."""
    roots = [binding for binding in facts.imports.bindings if public_name(binding.path or "") == ""]
    return claims.uses_shim or (bool(roots) and all(is_compat_v1(binding.path or "") for binding in roots))


def _used(facts: Facts, binding: Binding) -> Iterator[tuple[str, Node]]:
    """Yields the lacking paths that an import names or that are read from it, each with the node."""
    path = (binding.path or "").replace("tensorflow_core", "tensorflow", 1)
    if "." in path and _lacking(path):
        yield path, binding.statement
        return
    for members, node in facts.imports.chains(binding, lambda members: _lacking(path + members)):
        others = facts.names.paths(node) - {binding.path}
        if all(_lacking(other + members) for other in others):
            yield path + members, node


def _lacking(path: str) -> str:
    """Returns the part of a path that TensorFlow 2 lacks, without "tensorflow."; "" if it lacks nothing."""
    if not path.startswith("tensorflow."):
        return ""
    name = tf2_names.lacking(path[len("tensorflow.") :])
    return "" if name in never_names.EVERY else name


def _summary_remark(names: list[str], first: Node) -> Note:
    shown = ", ".join("tf." + name for name in names[:5])
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return remark(
        first,
        f"TensorFlow 2 has {shown}{more} only in compat.v1",
        "Run tf_upgrade_v2, which writes tf.compat.v1 there, or take the target shim.",
    )


def _called(name: str) -> str:
    return ("tensorflow." if name.startswith(("python.", "examples.")) else "tf.") + name


def _remedy(name: str) -> str:
    advice = gone.gone(name)
    if advice is not None:
        return gone.ADVICE[advice]
    if name.startswith("contrib."):
        return f"Write {HOME}.{name} if it is there, {_RUN}"
    if name.startswith("examples."):
        return f"Import it from {HOME}" if contrib.has_example(name[len("examples.") :]) else contrib.EXAMPLES
    if name == "python.pywrap_tensorflow.NewCheckpointReader":
        return f"Write tf.compat.v1.train.NewCheckpointReader, {_RUN}"
    if name.startswith("python."):
        home = shim_module("tensorflow." + (name if internals.has_files(name) else name.rpartition(".")[0]))
        if home is not None and (internals.has_files(name) or internals.moved(name)):
            return f"Import it from {home}, {_RUN}"
        return f"Write its replacement in TensorFlow 2's public API, {_RUN}"
    if name.startswith("compat.v1.") and tf1_names.gone(name):
        return f"Write {HOME}.{name[len('compat.v1.') :]} for it, {_RUN}"
    if name.startswith("keras"):
        return "Write what Keras 3 has instead, or install tf_keras and set TF_USE_LEGACY_KERAS=1"
    if not tf2_names.lacking("compat.v1." + name):
        return f"Write tf.compat.v1.{name}, or its replacement"
    return "Write its replacement in TensorFlow 2, or keep the TensorFlow that has it"
