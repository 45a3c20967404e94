"""Names that `tf.config` never had, or in TensorFlow 2.0's alpha only, become those that are meant.

Looked up in TensorFlow 1.14, 1.15, 2.0, 2.1, 2.4, 2.10, 2.16, 2.21 and 2.22: none has any of these. What is written
instead is there from 2.1 to 2.22; with the target "native" it is the name that is experimental no more. A fraction has
no name in `tf.config` and goes through `tf1mem.apply`. What is tried with an alternative stays.
"""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts import growth_and_limits
from tf1mem.codemod.facts.alpha_settings import of_alpha
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.facts.public_names import home_of, public_name_of, spelled
from tf1mem.codemod.findings import Finding, remark, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source.edits import replace
from tf1mem.codemod.source.paths import dotted_text, public_name
from tf1mem.codemod.source.syntax import ancestors, arguments, enclosing, is_field
from tf1mem.codemod.tables.never_names import (
    EVERY,
    FRACTIONS,
    GROWTHS,
    LIMITS,
    RENAMED,
    REPORTED,
    SIZE,
    SPLIT,
    SPLIT_OF,
    never,
)

_HEAD = "import tensorflow as tf\n"
_ALPHA = "tf.config.gpu.set_per_process_memory_{}\n"
_CODE = "TFM401"

rule = Rule(
    _CODE,
    versions="2.1 to 2.22",
    words=(b"gpu_growth", b"set_log_device_placement", b"experimental.set_soft", b"config.gpu_options"),
    examples=(
        Example(_HEAD + "tf.config.experimental.set_memory_growth(gpu, True)\n"),
        Example(_HEAD + "tf.config.set_soft_device_placement(True)\ntf.debugging.set_log_device_placement(True)\n"),
        Example("from tensorflow.python.framework import config\nconfig.set_memory_growth(gpu, True)\n"),
        Example("import own as tf\ntf.config.set_memory_growth(gpu, True)\n"),
        Example(_HEAD + "print('tf.config.set_memory_growth')  # tf.config.set_memory_growth\n"),
        Example(
            _HEAD + "try:\n    tf.config.set_memory_growth(gpu, True)\n"
            "except Exception:\n    tf.config.experimental.set_memory_growth(gpu, True)\n"
        ),
        Example(
            _HEAD + "if hasattr(tf.config, 'set_memory_growth'):\n    tf.config.set_memory_growth(gpu, True)\n",
        ),
        Example(_HEAD + "try:\n    " + _ALPHA.format("growth(True)") + "except AttributeError:\n    pass\n"),
        Example(_HEAD + "tf.config.set_memory_growth(True)\n", remarks=(_CODE,)),
        Example(_HEAD + "tf.config.experimental.set_memory_limit(1024)\n", remarks=(_CODE,)),
        Example(_HEAD + "tf.config.gpu_options.allow_growth = True\n", remarks=(_CODE,)),
        Example(_HEAD + "config = tf.config.experimental.ConfigProto()\nprint(config)\n", remarks=(_CODE,)),
        Example(
            _HEAD + "if tf.test.is_gpu_available():\n    tf.config.gpu.set_per_process_memory_fraction(0.4)\n",
            remarks=(_CODE,),
        ),
        Example(
            _HEAD + "tf.config.set_memory_growth(gpu, True)\n",
            _HEAD + "tf.config.experimental.set_memory_growth(gpu, True)\n",
        ),
        Example(
            "import tensorflow\nfor gpu in gpus:\n    tensorflow.config.set_memory_growth(gpu, True)\n",
            "import tensorflow\nfor gpu in gpus:\n    tensorflow.config.experimental.set_memory_growth(gpu, True)\n",
        ),
        Example(
            "from tensorflow import config as c\nc.set_memory_growth(gpu, True)\n",
            "from tensorflow import config as c\nc.experimental.set_memory_growth(gpu, True)\n",
        ),
        Example(
            "def f():\n    from tensorflow.config import set_memory_growth\n    set_memory_growth(gpu, True)\n",
            "def f():\n    from tensorflow.config.experimental import set_memory_growth\n"
            "    set_memory_growth(gpu, True)\n",
        ),
        Example(
            "import tensorflow.compat.v2 as tf\ntf.config.experimental.set_gpu_growth(gpu, True)\n",
            "import tensorflow.compat.v2 as tf\ntf.config.experimental.set_memory_growth(gpu, True)\n",
        ),
        Example(
            _HEAD + "tf.config.set_virtual_device_configuration(\n"
            "    gpu, [tf.config.VirtualDeviceConfiguration(1024)])\n",
            _HEAD + "tf.config.experimental.set_virtual_device_configuration(\n"
            "    gpu, [tf.config.experimental.VirtualDeviceConfiguration(1024)])\n",
            to="apply",
        ),
        Example(
            _HEAD + "tf.config.set_virtual_device_configuration(\n"
            "    gpu, [tf.config.VirtualDeviceConfiguration(1024)])\n",
            _HEAD + "tf.config.set_logical_device_configuration(\n"
            "    gpu, [tf.config.LogicalDeviceConfiguration(1024)])\n",
            to="native",
        ),
        Example(
            "from tensorflow.config import experimental\nexperimental.set_logical_device_configuration(gpu, sizes)\n",
            "from tensorflow.config import experimental\nexperimental.set_virtual_device_configuration(gpu, sizes)\n",
            to="shim",
        ),
        Example(
            _HEAD + "tf.config.set_log_device_placement(True)\n",
            _HEAD + "tf.debugging.set_log_device_placement(True)\n",
        ),
        Example(
            _HEAD + "tf.config.set_memory_limit(gpu, 1024)\n",
            _HEAD + "tf.config.experimental.set_virtual_device_configuration("
            "gpu, [tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1024)])\n",
            to="shim",
        ),
        Example(
            _HEAD + "tf.config.set_memory_limit(gpu, 1024)\n",
            _HEAD + "tf.config.set_logical_device_configuration("
            "gpu, [tf.config.LogicalDeviceConfiguration(memory_limit=1024)])\n",
            to="native",
        ),
        Example(
            _HEAD + "tf.config.gpu.set_per_process_memory_fraction(0.4)\n",
            "import tf1mem\n" + _HEAD + "tf1mem.apply(tf1mem.config(memory_fraction=0.4, soft_placement=True))\n",
        ),
        Example(
            _HEAD + "if share is None:\n    tf.config.gpu.set_per_process_memory_growth(True)\n"
            "else:\n    tf.config.gpu.set_per_process_memory_fraction(share)\n",
            "import tf1mem\n" + _HEAD
            + "if share is None:\n    tf1mem.apply(tf1mem.config(allow_growth=True, soft_placement=True))\n"
            "else:\n    tf1mem.apply(tf1mem.config(memory_fraction=share, soft_placement=True))\n",
        ),
        Example(
            _HEAD + "tf.config.gpu.set_per_process_memory_growth(enabled=True)\n",
            "import tf1mem\n" + _HEAD + "tf1mem.apply(tf1mem.config(allow_growth=True, soft_placement=True))\n",
        ),
        Example(
            _HEAD + _ALPHA.format("fraction(F)") + _ALPHA.format("growth(True)"),
            "import tf1mem\n" + _HEAD
            + "tf1mem.apply(tf1mem.config(memory_fraction=F, allow_growth=True, soft_placement=True))\n",
        ),
    ),
)  # fmt: skip

_LEAVES = sorted({name.rpartition(".")[2].encode() for name in EVERY})


@rule
def never_existed(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Each such name, where it is used or imported."""
    if b"config" not in facts.source.text:
        return
    alpha: list[Node] = []
    for leaf in _LEAVES:
        for node in facts.source.identifiers(leaf):
            above = node.parent
            if above is None:
                continue
            if above.type == "dotted_name":
                yield from _imported(facts, above)
            elif above.type == "attribute" and is_field(above, "attribute", node):
                name = public_name_of(facts, above)
                if name not in EVERY or _is_tried(facts, above) or claims.covers(above):
                    continue
                if name in FRACTIONS or name in GROWTHS:
                    alpha.append(above)
                else:
                    yield _named(facts, claims, above, str(name))
    yield from of_alpha(facts, claims, alpha)


def _named(facts: Facts, claims: Claims, node: Node, name: str) -> Finding:
    """A name that is written out: renamed where its arguments are those that the other one takes."""
    above = node.parent
    call = above if above is not None and above.type == "call" and is_field(above, "function", node) else None
    if name in LIMITS:
        return _limit(facts, claims, node, call, name)
    if name in REPORTED:
        return remark(node, never(name), REPORTED[name])
    meant = RENAMED[name]
    new = meant.native if claims.to == "native" else meant.name
    home = home_of(facts, node, new) or home_of(facts, node, meant.name)
    if home is None or (call is not None and len(arguments(call)) < meant.arguments):
        return remark(node, never(name), f"What is meant is tf.{new}.")
    if home_of(facts, node, new) is None:
        new = meant.name
    message = f"{never(name)}; it is tf.{new}"
    edits = [Edit(home[0].end_byte, node.end_byte, b"." + home[1].encode())]
    if call is not None and meant in (SPLIT, SPLIT_OF):
        edits += _keyword(facts, call, new)
    return rewrite(node, message, *edits)


def _keyword(facts: Facts, call: Node, new: str) -> Iterator[Edit]:
    """The one argument that has another name in the two functions."""
    before, after = "virtual_devices", "logical_devices"
    if "virtual" in new:
        before, after = after, before
    for child in arguments(call):
        key = child.child_by_field_name("name") if child.type == "keyword_argument" else None
        if key is not None and facts.text(key) == before.encode():
            yield replace(key, after.encode())


def _limit(facts: Facts, claims: Claims, node: Node, call: Node | None, name: str) -> Finding:
    split, size = (SPLIT.native, SIZE.native) if claims.to == "native" else (SPLIT.name, SIZE.name)
    given = arguments(call) if call is not None else []
    function, part = spelled(facts, node, split), spelled(facts, node, size)
    plain = len(given) == 2 and not any(child.type.endswith(("splat", "argument")) for child in given)
    both = call is not None and any(found.limit.call == call for found in growth_and_limits.find(facts, claims))
    if not plain or function is None or part is None or both:
        remedy = f"A limit is set by tf.{split}(gpu, [tf.{size}(memory_limit=…)]), in MiB."
        return remark(node, never(name), remedy)
    return rewrite(
        node, f"{never(name)}; it is tf.{split}", replace(node, function),
        Edit(given[1].start_byte, given[1].start_byte, b"[" + part + b"(memory_limit="),
        Edit(given[1].end_byte, given[1].end_byte, b")]"),
    )  # fmt: skip


def _imported(facts: Facts, dotted: Node) -> Iterator[Finding]:
    """A name that is imported: its module is changed where it is the only one."""
    statement = enclosing(dotted, "import_from_statement")
    home = statement.child_by_field_name("module_name") if statement is not None else None
    if statement is None or home is None or dotted == home or facts.guarded(statement):
        return
    text = dotted_text(facts.text(home))
    lies_in = public_name(text)
    name = f"{lies_in}.{dotted_text(facts.text(dotted))}"
    if lies_in is None or name not in EVERY:
        return
    meant = RENAMED.get(name)
    leaf = name.rpartition(".")[2]
    fitting = [new for new in (meant.native, meant.name) if new.endswith("." + leaf)] if meant is not None else []
    if not fitting or len(statement.children_by_field_name("name")) != 1:
        other = fitting[0] if fitting else meant.name if meant is not None else "config.experimental"
        yield remark(dotted, never(name), f"What is meant is tf.{other}.")
        return
    new = text[: len(text) - len(lies_in)] + fitting[0].rpartition(".")[0]
    yield rewrite(
        statement, f"{never(name)}; it is tf.{fitting[0]}", replace(home, new.encode()),
    )  # fmt: skip


def _is_tried(facts: Facts, node: Node) -> bool:
    """Whether a name is asked for, or tried with an alternative."""
    if facts.guarded(node):
        return True
    child = node
    for above in ancestors(node):
        if above.type == "try_statement" and is_field(above, "body", child):
            others = [part for part in above.named_children if part.type == "except_clause"]
            return any(b"config" in facts.text(part) and b"et_memory" in facts.text(part) for part in others)
        child = above
    return False
