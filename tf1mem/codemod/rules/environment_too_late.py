"""Environment variables that are set after TensorFlow, CUDA or Keras has read them get a remark.

Measured on TensorFlow 2.4 to 2.21: CUDA_VISIBLE_DEVICES is read when CUDA starts, which a query for devices causes;
TF_FORCE_GPU_ALLOW_GROWTH and TF_GPU_ALLOCATOR when the runtime starts; TF_USE_LEGACY_KERAS when a part of `tf.keras` is
first used or imported. `import tensorflow` reads none of them.
"""

from __future__ import annotations

from typing import Iterable, Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.facts.public_names import public_name_of
from tf1mem.codemod.facts.starts import first_start
from tf1mem.codemod.findings import Note, remark
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.control_flow import before
from tf1mem.codemod.source.paths import dotted_text, public_name

_HEAD = "import os\nimport tensorflow as tf\n"
_ASK, _OP = "gpus = tf.config.list_physical_devices('GPU')\n", "x = tf.constant(1)\n"
_CODE = "TFM407"
_CUDA, _KERAS = "CUDA_VISIBLE_DEVICES", "TF_USE_LEGACY_KERAS"
# Variable -> the reason why it is too late, for people.
VARIABLES = {
    _CUDA: "CUDA has read it by then",
    "TF_FORCE_GPU_ALLOW_GROWTH": "TensorFlow has read it by then",
    "TF_GPU_ALLOCATOR": "TensorFlow has read it by then",
    _KERAS: "TensorFlow has chosen its Keras by then",
}

rule = Rule(
    _CODE,
    words=(b"TF_USE_LEGACY_KERAS", b"TF_FORCE_GPU_ALLOW_GROWTH", b"TF_GPU_ALLOCATOR", b"CUDA_VISIBLE_DEVICES"),
    examples=(
        Example("import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nimport tensorflow as tf\nx = tf.constant(1)\n"),
        Example(_HEAD + "os.environ['CUDA_VISIBLE_DEVICES'] = '0'\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n"),
        Example(_HEAD + _ASK + "os.environ['TF_GPU_ALLOCATOR'] = 'cuda_malloc_async'\n"),
        Example(_HEAD + _OP + "os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'\nprint(os.environ['CUDA_VISIBLE_DEVICES'])\n"),
        Example("import os\nfrom tensorflow import keras\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n"),
        Example("import tensorflow as tf\nfrom own import os\n" + _OP + "os.environ['TF_GPU_ALLOCATOR'] = 'x'\n"),
        Example(_HEAD + _ASK + "os.environ['CUDA_VISIBLE_DEVICES'] = '0'\n", remarks=(_CODE,)),
        Example(_HEAD + _OP + "os.environ.setdefault('TF_FORCE_GPU_ALLOW_GROWTH', 'true')\n", remarks=(_CODE,)),
        Example(
            "from os import environ\nimport tensorflow\nprint(tensorflow.test.is_gpu_available())\n"
            "environ.update({'A': 'b', 'TF_GPU_ALLOCATOR': 'cuda_malloc_async'})\n",
            remarks=(_CODE,),
        ),
        Example(
            "import os\nfrom tensorflow.keras import layers\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n",
            remarks=(_CODE,),
        ),
        Example(
            _HEAD + "K = tf.keras.backend\ndef f():\n    os.putenv('TF_USE_LEGACY_KERAS', '1')\n", remarks=(_CODE,)
        ),
    ),
)  # fmt: skip


@rule
def environment_too_late(facts: Facts, claims: Claims) -> Iterator[Note]:
    """Yields a remark for each of `VARIABLES` that is set after something has read it."""
    if not any(map(facts.mentions, VARIABLES)) or not facts.imports.bindings:
        return
    for variable, node in _assignments(facts):
        if variable == _KERAS:
            reader, on = _first_keras(facts, node), ""
        else:
            start = first_start(facts, claims.moves_any, node, counts_cuda=variable == _CUDA)
            reader, on = (None, "") if start is None else (start.call, start.on)
        if reader is not None:
            where = facts.line_of(reader)
            yield remark(
                node, f"{variable} is set after {facts.shown(reader)} ({where}): {VARIABLES[variable]}{on}",
                f"Set it above {where}, or before the program is started.",
            )  # fmt: skip


def _assignments(facts: Facts) -> Iterator[tuple[str, Node]]:
    """Yields the variables that are set through `os.environ` or `os.putenv`, each with the place."""
    for environ in facts.source.identifiers(b"environ"):
        node = syntax.attribute_named(environ) or environ
        subscript, method = syntax.subscript_of(node), syntax.attribute_of(node)
        call = syntax.call_of(method) if method is not None else None
        if (subscript is None and call is None) or facts.names.paths(node) != {"os.environ"}:
            continue
        if subscript is not None and syntax.assignment_to(subscript) is not None:
            yield from _keys(facts, subscript, syntax.indices(subscript))
        elif method is not None and call is not None and facts.text(syntax.leaf_of(method)) == b"setdefault":
            yield from _keys(facts, method, syntax.arguments(call)[:1])
        elif method is not None and call is not None and facts.text(syntax.leaf_of(method)) == b"update":
            yield from _keys(facts, method, syntax.passed_keys(call))
    for call in facts.calls("putenv") if facts.mentions("putenv") else ():
        if facts.names.paths(syntax.callee(call)) == {"os.putenv"}:
            yield from _keys(facts, call, syntax.arguments(call)[:1])


def _keys(facts: Facts, node: Node, keys: Iterable[Node]) -> Iterator[tuple[str, Node]]:
    for key in keys:
        variable = (facts.source.key(key) or b"").decode("utf-8", "replace")
        if variable in VARIABLES:
            yield variable, node


def _first_keras(facts: Facts, node: Node) -> Node | None:
    """Returns the first node that surely runs before a node and makes TensorFlow load Keras; None if there is none."""
    for earlier in before(node):
        modules = [item.name for item in syntax.import_items(earlier)] if earlier.type == "import_statement" else []
        if earlier.type == "import_from_statement":
            modules = [module for module in [syntax.imported_module(earlier)] if module is not None]
        if any(_is_keras(dotted_text(facts.text(module))) for module in modules):
            return earlier
        if earlier.type == "attribute" and (public_name_of(facts, earlier) or "").startswith("keras."):
            return earlier
    return None


def _is_keras(path: str) -> bool:
    name = public_name(path) or ""
    return name == "keras" or name.startswith("keras.")
