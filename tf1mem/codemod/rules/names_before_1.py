"""Names and argument orders that TensorFlow 1.0 removed become the current ones, where a file moves to tf1mem.v1.

TensorFlow 1.15 lacks them, too. The old order is recognized by literal arguments, as `tf1mem run` does it:
`tf.concat(1, [a, b])`. Code that also tries another name, for example in a try statement, stays.
"""

from __future__ import annotations

import re
from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import ClaimKind, Claims
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.facts.public_names import spelling
from tf1mem.codemod.findings import Finding, remark, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.edits import insert, replace
from tf1mem.codemod.source.paths import tf1_name
from tf1mem.names import before_1

_CODE = "TFM104"
_SINCE = "TensorFlow 1.0 removed tf."
_OLD = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
_NEW = "import tf1mem.v1 as tf\nx = tf.placeholder(tf.float32)\n"
_FIRST = (b"0", b"1", b"2", b"3", b"-1")

rule = Rule(
    _CODE,
    to=("shim",),
    words=(
        *(b"tf.%b(" % name for name in (b"mul", b"sub", b"neg", b"pack", b"unpack", b"inv", b"select", b"reverse")),
        *(b"tf.%b(%b" % (name, first) for name in (b"concat", b"split") for first in _FIRST),
        b"list_diff", b"listdiff", b"complex_abs", b"tf.batch_", b"_summary(", b"merge_all_summaries", b"SummaryWriter",
        b"deconv2d", b"_rnn(", b"nn.rnn(", b"nn.seq2seq", b"per_image_whitening", b"_with_logits(", b"concat_dim",
        b"split_dim", b"num_split", b"resize_images(",
    ),
    examples=(
        Example("import own as tf\ntf.mul(x, y)\n"),
        Example("import tensorflow as tf\ny = tf.concat([x, x], 1)\nz = tf.split(x, 2, 1)\n"),
        Example(_OLD + "y = tf.sub(tf.mul(x, x), 1.0)\n", _NEW + "y = tf.subtract(tf.multiply(x, x), 1.0)\n"),
        Example(
            _OLD + "y = tf.concat(1, [x, x])\nz = tf.split(0, 2, y)\n",
            _NEW + "y = tf.concat(axis=1, values=[x, x])\nz = tf.split(axis=0, num_or_size_splits=2, value=y)\n",
        ),
        Example(
            _OLD + "y = tf.concat(concat_dim=1, values=[x, x])\n", _NEW + "y = tf.concat(axis=1, values=[x, x])\n"
        ),
        Example(
            _OLD + "y = tf.batch_matmul(x, x, adj_y=True)\nz = tf.select(c, t=x, e=y)\n",
            _NEW + "y = tf.matmul(x, x, adjoint_b=True)\nz = tf.where(c, x=x, y=y)\n",
        ),
        Example(
            _OLD + "loss = tf.nn.sparse_softmax_cross_entropy_with_logits(x, y)\n",
            _NEW + "loss = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=x, labels=y)\n",
        ),
        *(
            Example(_OLD + f"y = tf.mul(1, tf.nn.{name}_cross_entropy_with_logits({arguments}))\n",
                    _NEW + f"y = tf.multiply(1, tf.nn.{name}_cross_entropy_with_logits({arguments}))\n")
            for name, arguments in (
                ("sigmoid", "None, x, x"), ("softmax", "None, x, x, -1"), ("sparse_softmax", "None, x, logits=x")
            )
        ),
        Example(
            _OLD + "y = tf.image.resize_images(x, 224, 224)\n", _NEW + "y = tf.image.resize_images(x, [224, 224])\n"
        ),
        Example(_OLD + "y = tf.reverse(x, [False, True])\n", _NEW + "y = tf.reverse(x, [1])\n"),
        Example(
            _OLD + "tf.scalar_summary('loss', x)\nwriter = tf.train.SummaryWriter('logs')\n",
            _NEW + "tf.contrib.deprecated.scalar_summary('loss', x)\nwriter = tf.summary.FileWriter('logs')\n",
        ),
    ),
)  # fmt: skip

_NUMBER = re.compile(rb"-?\s*\d+")


@rule
def names_before_1(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields a finding for each name that TensorFlow 1.0 removed, and each call in the old order."""
    for binding in facts.imports.bindings:
        if not claims.has(ClaimKind.MOVED, binding.statement):
            continue
        imported = tf1_name(binding.path or "") or ""
        if imported in before_1.TABLE:
            yield remark(binding.statement, _SINCE + imported, f"Write tf.{before_1.public(imported)}.")
            continue
        for dotted, root in facts.imports.uses(binding, lambda dotted: _old_name(dotted) != ""):
            name = _old_name(dotted)
            node = root
            for _ in name[len(imported) :].strip(".").split("."):
                above = syntax.attribute_of(node)
                node = node if above is None else above
            if not facts.guarded(root) and not claims.covers(node):
                yield from _replaced(facts, node, name)


def _old_name(dotted: str) -> str:
    """Returns the old or reordered name that a dotted name begins with; "" if there is none."""
    parts = dotted.split(".")
    names = (".".join(parts[:size]) for size in range(len(parts), 0, -1))
    return next((name for name in names if name in before_1.TABLE or name in before_1.REORDERED), "")


def _replaced(facts: Facts, node: Node, name: str) -> Iterator[Finding]:
    """Yields the finding for a name that TensorFlow 1.0 removed, or whose arguments it reordered."""
    call = syntax.call_of(node)
    passed = syntax.arguments(call) if call is not None else []
    splat = any(map(syntax.is_splat, passed))
    if name in before_1.TABLE:
        new = before_1.public(name)
        spelled = spelling(facts, node, new)
        order, names = before_1.ARGUMENTS.get(name, ((), {}))
        edits = [*_renamed(facts, passed, names), *_named(passed, order, 2)]
        if spelled is None or (splat and order):
            yield remark(node, _SINCE + name, f"Write tf.{new}.")
        else:
            yield rewrite(node, f"{_SINCE}{name}; it is tf.{new}", replace(node, spelled), *edits)
        return
    edits = [] if splat else _reordered(facts, name, passed)
    if edits:
        yield rewrite(node, f"tf.{name} takes its arguments in another order since TensorFlow 1.0", *edits)


def _reordered(facts: Facts, name: str, passed: list[Node]) -> list[Edit]:
    """Returns edits that pass arguments in the current order; none if they are already."""
    order, names = before_1.REORDERED[name]
    plain = [argument for argument in passed if syntax.keyword(argument) is None]
    if name == "reverse":
        return _axes_of_flags(facts, passed)
    if name == "image.resize_images":
        if len(plain) > 2 and all(_NUMBER.fullmatch(facts.text(argument)) for argument in plain[1:3]):
            return [insert(plain[1].start_byte, b"["), insert(plain[2].end_byte, b"]")]
        return []
    renamed = list(_renamed(facts, passed, names))
    first = bool(plain) and _NUMBER.fullmatch(facts.text(plain[0])) is not None
    lists = [argument.type in ("list", "tuple", "list_comprehension") for argument in plain[:2]]
    # Since 1.0 the first argument is `_sentinel`, which has to be None; the others are in today's order then.
    by_position = name.endswith("_with_logits") and bool(plain) and plain[0].type != "none"
    is_old = by_position or first or (name == "concat" and lists == [False, True])
    return [*_named(passed, order), *renamed] if is_old or renamed else []


def _axes_of_flags(facts: Facts, passed: list[Node]) -> list[Edit]:
    """Returns the edits that turn `dims`, a list of booleans, into the list of the axes that are true."""
    pairs = [syntax.keyword(argument) for argument in passed]
    by_name = [
        argument for argument, pair in zip(passed, pairs) if pair is not None and facts.text(pair.name) == b"dims"
    ]
    flags = syntax.argument_value(by_name[0]) if by_name else None
    if flags is None and len(passed) > 1 and pairs[1] is None:
        flags = passed[1]
    if flags is None or flags.type != "list" or not flags.named_children:
        return []
    if not all(flag.type in ("true", "false") for flag in flags.named_children):
        return []
    axes = [str(number) for number, flag in enumerate(flags.named_children) if flag.type == "true"]
    return [replace(flags, f"[{', '.join(axes)}]".encode()), *_renamed(facts, passed, {"dims": "axis"})]


def _renamed(facts: Facts, passed: list[Node], names: dict[str, str]) -> Iterator[Edit]:
    for pair in filter(None, map(syntax.keyword, passed)):
        name = facts.text(pair.name).decode()
        if name in names:
            yield replace(pair.name, names[name].encode())


def _named(passed: list[Node], order: tuple[str, ...], start: int = 0) -> Iterator[Edit]:
    """Yields edits that pass arguments by name, from an index on."""
    plain = [argument for argument in passed if syntax.keyword(argument) is None]
    for name, argument in list(zip(order, plain))[start:]:
        yield insert(argument.start_byte, name.encode() + b"=")
