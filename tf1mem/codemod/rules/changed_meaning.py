"""A call that means something else in TensorFlow 2 than in TensorFlow 1 needs a decision by hand if its import stays.

`tf.nn.dropout(x, keep)` keeps a share of x in TensorFlow 1, and drops it in TensorFlow 2. A call that is surely
TensorFlow 1's makes its file import from tf1mem.v1 with the target shim; an uncertain call gets a remark, unless the
file is clearly written for TensorFlow 2. There are also remarks for functions with another result for the same
arguments; for summaries without a step, which TensorFlow 2 doesn't write; for lookups in an embedding that is a list of
partitions, which TensorFlow 2 divides differently; and for `virtual_devices=`, which TensorFlow 2.4 and later refuse.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple

from tree_sitter import Node

from tf1mem.codemod.claims import ClaimKind, Claims
from tf1mem.codemod.facts.call_arguments import WrittenFor, written_for
from tf1mem.codemod.facts.imports import function_of_root
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note, remark
from tf1mem.codemod.rules import HEAD, Example, Rule
from tf1mem.codemod.rules.native_names import NEW_ARGUMENT, OLD_ARGUMENT, SPLIT
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.paths import is_compat_v1, is_public_tensorflow, is_shim, tf1_name
from tf1mem.names import arguments, tf1_names
from tf1mem.names.evidence import is_tf2_in_use

_CODE = "TFM009"
_TF2 = "@tf.function\ndef f(x, y):\n    return "
_SPLIT = "tf.config.experimental.set_virtual_device_configuration({})\n"

rule = Rule(
    _CODE,
    of_result=True,
    examples=(
        Example(HEAD + "y = tf.nn.dropout(x, rate=0.1)\nz = tf.nn.dropout(y, 0.5)\n"),
        Example(HEAD + "y = tf.argmax(x, 1, tf.int32)\nz = tf.shape(x)\n"),
        Example(HEAD + _TF2 + "tf.nn.dropout(x, y)\n"),
        Example("import tf1mem.v1 as tf\ny = tf.nn.dropout(x, keep)\n"),
        Example(HEAD + "if tf.__version__ >= '2':\n    tf = tf.compat.v1\ntf.summary.scalar('loss', x)\n"),
        Example(HEAD + "y = tf.nn.dropout(x, share)\n", remarks=(_CODE,)),
        Example(HEAD + _TF2 + "tf.nn.dropout(x, keep_prob)\n", remarks=(_CODE,)),
        Example(HEAD + "y = tf.math.in_top_k(a, b, 3)\n", remarks=(_CODE,)),
        Example(HEAD + "loss = tf.nn.softmax_cross_entropy_with_logits(a, b)\n", remarks=(_CODE,)),
        Example(HEAD + "tf.summary.scalar('loss', x)\n", remarks=(_CODE,)),
        Example(HEAD + "y = tf.nn.embedding_lookup([a, b], ids)\n", remarks=(_CODE,)),
        Example(HEAD + "tf.summary.audio('sound', x, 16000)\n", remarks=(_CODE,)),
        Example(HEAD + "words = tf.strings.split(x)\n", remarks=(_CODE,)),
        Example(HEAD + "loss = tf.nn.softmax_cross_entropy_with_logits(labels=a, logits=b)\n", remarks=(_CODE,)),
        Example(
            HEAD + "loss = tf.nn.softmax_cross_entropy_with_logits(labels=tf.stop_gradient(a), logits=b)\n"
            "@tf.function\ndef f(x):\n    return tf.strings.split(x)\n"
        ),
        Example(HEAD + "y = tf.nn.dropout(x, keep)\n", to="apply", remarks=(_CODE,)),
        Example(HEAD + _SPLIT.format("gpu, [part]")),
        Example(HEAD + _SPLIT.format("gpu, virtual_devices=[part]"), to="apply", remarks=(_CODE,)),
    ),
)

_STEPS = (b"summary.experimental", b"summary.create_file_writer", b"as_default(", b"record_if")


@rule
def changed_meaning(facts: Facts, claims: Claims) -> Iterator[Note]:
    """Yields a remark for each call that means something else in TensorFlow 2, or may."""
    bindings = [binding for binding in facts.imports.bindings if _stays(binding, claims)]
    differences = [
        difference
        for binding in bindings
        for dotted, root in facts.imports.uses(binding, _may_differ)
        for call in [syntax.call_of(function_of_root(root))]
        for difference in [_difference(facts, dotted, call) if call is not None else None]
        if difference is not None and not facts.guarded(root) and not claims.covers(root)
        if not any(map(is_compat_v1, facts.names.paths(root)))
    ]
    if any(each.is_likely for each in differences) and _is_plainly_tf2(facts, bindings):
        differences = [each for each in differences if not each.is_likely]
    for each in differences:
        yield each.remark


@rule.of("shim", "apply")  # target native rewrites it
def renamed_argument(facts: Facts) -> Iterator[Note]:
    """Yields remarks for the only argument of `tf.config` that TensorFlow 2.4 renamed, in TensorFlow 1's API too."""
    for call in facts.calls(SPLIT.rpartition(".")[2]) if facts.mentions(OLD_ARGUMENT) else ():
        is_it = facts.tf1_name(syntax.callee(call)) == SPLIT and not facts.guarded(call)
        if is_it and facts.argument(call, OLD_ARGUMENT) is not None:
            message = f"TensorFlow 2.4 and later refuse {OLD_ARGUMENT}= of tf.{SPLIT}, and call it {NEW_ARGUMENT}"
            yield remark(call, message, "Pass it by position, which every TensorFlow accepts.")


def _stays(binding: Binding, claims: Claims) -> bool:
    path = binding.path or ""
    if is_shim(path) or is_compat_v1(path) or not is_public_tensorflow(path):
        return False
    return tf1_name(path) is not None and not claims.has(ClaimKind.MOVED, binding.statement)


def _may_differ(dotted: str) -> bool:
    return (
        arguments.orders(dotted) is not None
        or bool(tf1_names.v1_only_keywords(dotted))
        or dotted in arguments.WRITES
        or dotted in arguments.PARTITIONED
        or dotted in arguments.BY_DEFAULT
    )


def _is_plainly_tf2(facts: Facts, bindings: list[Binding]) -> bool:
    imports = facts.imports
    return imports.knows_tf2 or any(True for binding in bindings for _ in imports.uses(binding, is_tf2_in_use))


class _Difference(NamedTuple):
    """A remark on a call.

    Attributes:
        remark: The remark.
        is_likely: True if it doesn't hold in a module that is plainly for TensorFlow 2.
    """

    remark: Note
    is_likely: bool


def _difference(facts: Facts, dotted: str, call: Node) -> _Difference | None:
    """Returns the remark on a call that TensorFlow 2 takes differently; None for one that means the same."""
    written, place = written_for(facts.source, call, dotted)
    if written is WrittenFor.TF2:
        return None
    orders = arguments.orders(dotted)
    if written is WrittenFor.TF1 and (place < 0 or orders is None):
        by_name = f"tf.{dotted} takes its arguments by other names in TensorFlow 2"
        return _Difference(remark(call, by_name, _remedy(dotted)), False)
    if orders is not None and written in (WrittenFor.TF1, WrittenFor.EITHER):
        note = remark(call, _order_message(dotted, orders, place), _remedy(dotted))
        return _Difference(note, written is WrittenFor.EITHER)
    default = _remark_on_default(facts, dotted, call)
    return None if default is None else _Difference(default, True)


def _remark_on_default(facts: Facts, dotted: str, call: Node) -> Note | None:
    """Returns the remark on a call that TensorFlow 2 takes as it is, and understands otherwise."""
    passed = syntax.arguments(call)
    names = {facts.decoded(pair.name) for pair in map(syntax.keyword, passed) if pair is not None}
    if dotted in arguments.WRITES and "step" not in names and _is_without_step(dotted, passed):
        if any(word in facts.source.text for word in _STEPS):
            return None
        return remark(
            call, f"tf.{dotted} writes nothing in TensorFlow 2 without a step and a writer, and returns no summary",
            f"Write tf.compat.v1.{dotted} where a Session writes it, or give step=.",
        )  # fmt: skip
    if dotted in arguments.PARTITIONED and "partition_strategy" not in names and _is_of_parts(passed):
        parted = "divides ids among a list's parts in blocks in TensorFlow 2, and in turns in TensorFlow 1"
        return remark(call, f"tf.{dotted} {parted}", _remedy(dotted))
    if dotted in arguments.BY_DEFAULT and not _has_no_gradient(facts, call):
        tf2, tf1 = arguments.BY_DEFAULT[dotted]
        return remark(
            call, f"tf.{dotted} {tf2} in TensorFlow 2, and {tf1} in TensorFlow 1",
            f"Write tf.compat.v1.{dotted} for TensorFlow 1's meaning.",
        )  # fmt: skip
    return None


def _is_without_step(dotted: str, passed: list[Node]) -> bool:
    orders = arguments.orders(dotted)
    return orders is not None and "step" in orders.tf2 and 2 <= len(passed) <= orders.tf2.index("step")


def _has_no_gradient(facts: Facts, call: Node) -> bool:
    """Returns True if the labels of a cross entropy get no gradient anyway."""
    labels = facts.argument(call, "labels")
    return labels is not None and labels.type == "call" and facts.tf1_name(syntax.callee(labels)) == "stop_gradient"


def _is_of_parts(passed: list[Node]) -> bool:
    return bool(passed) and passed[0].type == "list" and len(passed[0].named_children) > 1


def _order_message(dotted: str, orders: arguments.Orders, place: int) -> str:
    old = orders.tf1[place] if place < len(orders.tf1) else ""
    new = orders.tf2[place] if place < len(orders.tf2) else ""
    if old == arguments.SENTINEL:
        return f"tf.{dotted} takes {orders.tf2[0]} before {orders.tf2[1]} in TensorFlow 2, and by name in TensorFlow 1"
    number = place + 1
    if not new:
        return f"argument {number} of tf.{dotted}, {old} in TensorFlow 1, isn't taken by position in TensorFlow 2"
    return f"argument {number} of tf.{dotted} is {old} in TensorFlow 1 and {new} in TensorFlow 2"


def _remedy(dotted: str) -> str:
    return f"Pass it by name; or write tf.compat.v1.{dotted}, which keeps TensorFlow 1's meaning."
