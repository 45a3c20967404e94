"""Finds uses of TensorFlow 1's names that neither this TensorFlow nor `tf1mem.v1` has, and calls that load C++ ops."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Iterator

from tree_sitter import Node

from tf1mem.checking import kinds
from tf1mem.checking.file_findings import FileFinding
from tf1mem.checking.here import Here
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.paths import dotted_text, tf1_name
from tf1mem.machine.versions import NEWEST
from tf1mem.names import before_1, contrib, gone, internals, keras_files
from tf1mem.names.evidence import is_gone_from_v1

_CONTRIB, _EXAMPLES, _PYTHON = "contrib.", "examples.", "python."
_NO_REPLACEMENT = "Nothing replaces it: keep TensorFlow 1.15 for it, or copy its source into the program"
# Names that TensorFlow lacks from 2.16 on -> the module that tf1mem.v1 takes them from, and pip's requirement for it.
_PACKAGES = {
    "estimator": ("tensorflow_estimator", "tensorflow-estimator==2.15.0"),
    "keras": ("tf_keras", "tf_keras"),
    "layers": ("tf_keras", "tf_keras"),
    "nn.rnn_cell": ("tf_keras", "tf_keras"),
}
# Names of TensorFlow 2 that programs use and its compat.v1 lacks: checked in 2.21.
_OF_TENSORFLOW_2 = tuple(
    "distribute.MultiWorkerMirroredStrategy distribute.TPUStrategy image.resize_with_pad nn.gelu optimizers "
    "random.set_seed summary.create_file_writer summary.record_if summary.trace_export summary.trace_on "
    "summary.write".split()
)
_LOADS = ("load_op_library", "load_file_system_library", "load_library")


def lacking(facts: Facts, here: Here) -> Iterator[FileFinding]:
    """Yields a finding for the first use of each missing name; a use that the program guards itself doesn't count."""
    if here.tensorflow is None or here.tensorflow.major < 2:
        return
    uses = list(_lacking(facts, here))
    reported: set[str] = set()
    for lacks, node in uses:
        if lacks[0] in reported or facts.guarded(node) or _is_needless_fallback(node, [other for _, other in uses]):
            continue
        reported.add(lacks[0])
        yield _finding(facts, lacks, node)


def _lacking(facts: Facts, here: Here) -> Iterator[tuple[tuple[str, str], Node]]:
    """Yields missing names as `_lacks` returns them, each with one use: all uses, guarded ones too."""
    of_modules = set()
    for statement in facts.imports.statements:
        for dotted in _modules(facts, statement):
            lacks = _lacks_module(dotted, here)
            if lacks is not None:
                of_modules.add(statement.start_byte)
                yield lacks, statement
    for binding in facts.imports.bindings:
        imported = tf1_name(binding.path or "") or ""
        if "." in imported and binding.statement.start_byte in of_modules:
            continue
        if "." in imported and _lacks(imported, here) is not None:
            used = [(imported, binding.statement)]
        else:
            used = list(facts.imports.uses(binding, lambda name: _lacks(name, here) is not None))
        for dotted, node in used:
            lacks = _lacks(dotted, here)
            if lacks is not None:
                yield lacks, node


def _is_needless_fallback(node: Node, missing_uses: list[Node]) -> bool:
    """Returns True for a node in an `except` clause, if the `try` block uses no missing name and so doesn't fail."""
    clause = syntax.enclosing(node, "except_clause")
    tried = clause and clause.parent and syntax.body(clause.parent)
    return tried is not None and not any(tried.start_byte <= use.start_byte < tried.end_byte for use in missing_uses)


def ops(facts: Facts) -> Iterator[FileFinding]:
    """Yields the calls that load C++ ops."""
    for call in facts.calls(*_LOADS):
        names = facts.tf1_names(call.named_children[0])
        if names & set(_LOADS) and not facts.guarded(call):
            yield FileFinding(
                kinds.OPS, "C++ ops",
                "C++ ops are loaded, which only work with the TensorFlow that they were built with", kinds.OPS.remedy,
                *facts.extract.locate(call.start_byte),
            )  # fmt: skip


def _finding(facts: Facts, lacks: tuple[str, str], node: Node) -> FileFinding:
    name, remedy = lacks
    kind, fault = (kinds.LACKING, "is missing") if "." in name else (kinds.ABSENT, "isn't installed")
    return FileFinding(kind, name, f"{name} {fault}", remedy + ".", *facts.extract.locate(node.start_byte))


def _modules(facts: Facts, statement: Node) -> list[str]:
    """Returns the modules that an import has to find: the module of `from module import …`, or those of `import …`."""
    module = syntax.imported_module(statement)
    named = [module] if module is not None else [item.name for item in syntax.import_items(statement)]
    return [dotted_text(facts.text(name_node)) for name_node in named]


def _lacks_module(path: str, here: Here) -> tuple[str, str] | None:
    """Returns the missing part of a module's path, "tensorflow.python.ops.math_ops", with the remedy; see `_lacks`."""
    root, *parts = path.split(".")
    while parts[:2] == ["compat", "v1"]:
        del parts[:2]
    if root == "keras":
        parts.insert(0, root)
    elif root not in ("tensorflow", "tensorflow_core"):
        return None
    if not parts or parts[0] in ("compat", "contrib", "estimator", "layers"):
        return None
    if parts[0] == "examples":
        return _lacks(".".join(parts), here)
    for size in range(1, len(parts) + 1):
        dotted = ".".join(parts[:size])
        lacks = _lacks(dotted, here)
        if lacks is None and parts[0] != "python" and not _has_module(parts[:size], here):
            lacks = dotted if root == "keras" else "tensorflow." + dotted, _NO_REPLACEMENT
        if lacks is not None:
            return lacks
    return None


def _lacks(dotted: str, here: Here) -> tuple[str, str] | None:
    """Returns (missing name, remedy) for a name of TensorFlow 1, or None if it isn't missing.

    Where a whole package is missing, such as tf_keras, the missing name is the package's.
    """
    if dotted not in here.lacked:
        here.lacked[dotted] = _looked_up(dotted, here)
    return here.lacked[dotted]


def _looked_up(dotted: str, here: Here) -> tuple[str, str] | None:
    """Returns a name of TensorFlow 1 that is missing here, and the remedy; None if it is there."""
    if dotted.startswith(_EXAMPLES):
        example = dotted[len(_EXAMPLES) :]
        return None if contrib.has_example(example) else ("tensorflow." + dotted, contrib.EXAMPLES)
    if dotted.startswith(_CONTRIB):
        missing = contrib.lacks(
            dotted[len(_CONTRIB) :], (here.tensorflow.major, here.tensorflow.minor) if here.tensorflow else NEWEST
        )
        return None if missing is None else ("tf.contrib." + missing[0], missing[1])
    if here.tensorflow is not None and here.tensorflow.release[:2] >= (2, 16):
        for top, (module, package) in _PACKAGES.items():
            if f"{dotted}.".startswith(top + ".") and not here.has_module(module):
                return module, f"pip install {package}"
    if dotted.startswith("estimator."):
        return _lacks_estimator(dotted, here)
    if dotted.startswith(_PYTHON):
        return _lacks_file(dotted, here)
    if dotted in _OF_TENSORFLOW_2 or dotted.startswith("optimizers."):
        return f"TensorFlow 2's tf.{dotted}", "If the program is for TensorFlow 2, run it with python, not tf1mem run"
    if dotted.startswith(tuple(_PACKAGES)) or _is_of_before_1(dotted) or not is_gone_from_v1(dotted):
        return None
    return "tf." + dotted, _NO_REPLACEMENT


def _is_of_before_1(dotted: str) -> bool:
    """Returns True for a name that TensorFlow 1.0 removed, or one below it: tf1mem supplies these."""
    return any(f"{dotted}.".startswith(name + ".") for name in before_1.TABLE)


def _lacks_estimator(dotted: str, here: Here) -> tuple[str, str] | None:
    name, folder = gone.gone(dotted), here.folder_of("tensorflow_estimator")
    if name is None or folder is None:
        return None
    api = os.path.join(folder, "python", "estimator", "api", "_v1", "estimator", "__init__.py")
    return None if _mentions(api, name.rpartition(".")[2]) else ("tf." + name, gone.ADVICE[name])


def _lacks_file(dotted: str, here: Here) -> tuple[str, str] | None:
    """Returns the same as `_lacks`, for a name in TensorFlow's own files."""
    if dotted.startswith(("python.keras", "python.estimator")) or internals.moved(dotted):
        return None
    if dotted in internals.SUPPLIED or internals.has_files(dotted):
        return None
    folder = here.tensorflow_files
    if folder is None:
        return None
    parts = dotted.split(".")
    for size in range(len(parts), 0, -1):
        path = os.path.join(folder, *parts[:size])
        if os.path.isfile(path + ".py"):
            if size == len(parts) or _mentions(path + ".py", parts[size]):
                return None
            break
        if os.path.isdir(path):
            if size == len(parts) or _mentions(os.path.join(path, "__init__.py"), parts[size]):
                return None
            break
    name = gone.gone(dotted)
    return ("tensorflow." + dotted, _NO_REPLACEMENT) if name is None else ("tensorflow." + name, gone.ADVICE[name])


def _has_module(parts: list[str], here: Here) -> bool:
    """Returns True if a module outside `tensorflow.python` exists: as a file, or by a mention in its package."""
    if parts == ["keras"] or ".".join(parts) in keras_files.PATHS or _is_of_before_1(".".join(parts)):
        return True
    folder = here.tensorflow_files
    if folder is None:
        return True
    folders = [folder, os.path.join(folder, "_api", "v2", "compat", "v1")]
    if parts[0] == "keras":
        keras = here.folder_of("tf_keras")
        if keras is None or here.tensorflow is None or here.tensorflow.release[:2] < (2, 16):
            return True
        folders = [os.path.join(keras, "api", "_v1")]
    for start in folders:
        *above, name = parts
        path = os.path.join(start, *parts)
        if os.path.isfile(path + ".py") or os.path.isdir(path):
            return True
        file = os.path.join(start, *above)
        file = os.path.join(file, "__init__.py") if os.path.isdir(file) else file + ".py"
        if os.path.isfile(file) and _mentions(file, name):
            return True
    return False


@lru_cache(maxsize=None)
def _mentions(path: str, name: str) -> bool:
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError:
        return os.path.isdir(os.path.dirname(path))
    # A quoted name doesn't count: it is a scope's name, or a word in a text.
    named = rb"(?<![\w'\"`])%b(?![\w'\"`])" % re.escape(name.encode())
    return b"import *" in source or re.search(named, source) is not None
