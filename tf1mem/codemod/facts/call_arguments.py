"""Decides for which TensorFlow a call was written, if a function's arguments differ between TensorFlow 1 and 2.

A literal argument shows it, as in `tf.argmax(x, 1, tf.int32)`. So does a variable that is named like an argument, as in
`tf.nn.dropout(x, self.keep_prob)`.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.names import UNKNOWN, Names
from tf1mem.codemod.source.paths import is_compat_v1, tf1_name
from tf1mem.codemod.source.tree import Source
from tf1mem.names import arguments as table
from tf1mem.names import tf1_names


class WrittenFor(Enum):
    """The TensorFlow, 1 or 2, that a call was written for.

    EITHER is for a call that means something else in each, if nothing shows for which it was written.
    """

    TF1 = "TensorFlow 1's"
    TF2 = "TensorFlow 2's"
    EITHER = "it means something else in the two"
    BOTH = "it means the same in both"


_NUMBERS = ("integer", "float")
_LISTS = ("list", "tuple", "list_comprehension")
_DTYPE = re.compile(rb"(?:\w+\.)*(?:(?:b?float|u?int|complex)\d+|bool|string|double|half)\Z")
# Words in the names of variables: for a rate to keep or to drop; and for the logits and the labels of a cross entropy,
# in the order that they had before TensorFlow 1.0.
_KEEP, _DROP = re.compile(rb"keep", re.IGNORECASE), re.compile(rb"drop|rate", re.IGNORECASE)
_SWAPPED = (re.compile(rb"logit|output|pred|score", re.IGNORECASE), re.compile(rb"label|target|truth", re.IGNORECASE))


def written_for(source: Source, call: Node, dotted: str) -> tuple[WrittenFor, int]:
    """Returns the TensorFlow that a call was written for, and the position of the argument that shows it.

    The position is -1 if a keyword shows it.

    Args:
        source: The module's source.
        call: A call of a function that both TensorFlows have.
        dotted: The function's name, such as "nn.dropout".
    """
    passed = syntax.arguments(call)
    names = {source.decoded(pair.name) for pair in map(syntax.keyword, passed) if pair is not None}
    if names & tf1_names.v1_only_keywords(dotted):
        return WrittenFor.TF1, -1
    orders = table.orders(dotted)
    if orders is None:
        return WrittenFor.BOTH, -1
    if names - set(orders.tf1) or len(passed) < table.NEEDED.get(dotted, 0):
        return WrittenFor.TF2, -1
    plain = [argument for argument in passed if syntax.keyword(argument) is None]
    if any(map(syntax.is_splat, passed)) or len(plain) <= orders.first:
        return WrittenFor.BOTH, -1
    if len(plain) > max(len(orders.tf1), len(orders.tf2)):
        return WrittenFor.BOTH, -1
    if len(plain) > len(orders.tf2):
        return WrittenFor.TF1, len(orders.tf2)
    if len(plain) > len(orders.tf1):
        return WrittenFor.TF2, len(orders.tf1)
    for name in names:  # an argument passed by name can't be passed by position, too
        for own, other, verdict in ((orders.tf1, orders.tf2, WrittenFor.TF2), (orders.tf2, orders.tf1, WrittenFor.TF1)):
            if name in own[: len(plain)] and name in other and other.index(name) >= len(plain):
                return verdict, -1
    places = [place for place in range(len(plain)) if not table.is_same(orders.tf1[place], orders.tf2[place])]
    verdicts = [(_verdict(source, plain, place, orders.tf1[place], orders.tf2[place]), place) for place in places]
    for sure in (WrittenFor.TF1, WrittenFor.TF2):
        positions = [place for verdict, place in verdicts if verdict is sure]
        if positions:
            return sure, positions[0]
    return next(
        ((verdict, place) for verdict, place in verdicts if verdict is WrittenFor.EITHER), (WrittenFor.BOTH, -1)
    )


def _verdict(source: Source, plain: list[Node], place: int, old: str, new: str) -> WrittenFor:
    """Returns the TensorFlow whose argument a value fits: `old` in TensorFlow 1, `new` in TensorFlow 2."""
    value = plain[place]
    if old == table.SENTINEL:
        return WrittenFor.TF1 if value.type == "none" else _entropy_verdict(source, plain)
    if value.type == "none":
        return WrittenFor.BOTH
    if (old, new) == ("keep_prob", "rate"):
        return _dropout_verdict(source, value)
    fits = [_fits(source, value, name) for name in (old, new)]
    if fits[0] != fits[1]:
        return WrittenFor.TF1 if fits[0] else WrittenFor.TF2
    leaf = _leaf(source, value)
    if leaf in (old.encode(), new.encode()):
        return WrittenFor.TF1 if leaf == old.encode() else WrittenFor.TF2
    return WrittenFor.EITHER


def _entropy_verdict(source: Source, plain: list[Node]) -> WrittenFor:
    """Decides for cross entropies by the first position: labels in TensorFlow 2, logits before TensorFlow 1.0."""
    leaves = [_leaf(source, argument) for argument in plain[:2]]
    if any(of_old.search(leaf) for of_old, leaf in zip(_SWAPPED, leaves)):
        return WrittenFor.TF1
    return WrittenFor.TF2 if _SWAPPED[1].search(leaves[0]) else WrittenFor.EITHER


def _dropout_verdict(source: Source, value: Node) -> WrittenFor:
    """Returns the TensorFlow that an argument of dropout fits: 1 for a rate to keep, 2 for a rate to drop."""
    text = source.text_of(value)
    if value.type in _NUMBERS:
        return WrittenFor.BOTH if float(text) == 0.5 else WrittenFor.EITHER
    is_rest = re.match(rb"\(?\s*1(?:\.0*)?\s*-(?!\s*1\b)", text) is not None
    leaf = text if is_rest else _leaf(source, value)
    if not _KEEP.search(leaf) and not _DROP.search(leaf):
        return WrittenFor.EITHER
    is_kept = _KEEP.search(leaf) is not None
    if not is_rest and not is_kept and not re.search(rb"rate", leaf, re.IGNORECASE):
        return WrittenFor.EITHER  # `dropout` fits either
    return WrittenFor.TF1 if is_kept != is_rest else WrittenFor.TF2


def _fits(source: Source, value: Node, name: str) -> bool:
    kind = value.type
    if kind == "string":
        text = source.string(value)
        words = table.WORDS.get(name)
        if words is not None:
            return text is None or text.decode("utf-8", "replace") in words
        is_known = text is not None and any(
            text.decode("utf-8", "replace") in accepted for accepted in table.WORDS.values()
        )
        return name in table.TEXTS and not is_known
    if kind in ("true", "false"):
        return name in table.FLAGS
    if kind in _NUMBERS or kind in _LISTS or kind == "unary_operator":
        return name not in table.TEXTS | table.TYPES | table.FLAGS
    if kind in ("attribute", "identifier") and _DTYPE.match(source.text_of(value)):
        return name in table.TYPES
    if kind == "lambda":
        return name.endswith(("_fn", "fn1", "fn2"))
    return True


def _leaf(source: Source, value: Node) -> bytes:
    """Returns the name of a variable, an attribute or an item."""
    node = value
    if node.type == "subscript":
        keys = [source.key(index) for index in syntax.indices(node)]
        return keys[0] or b"" if len(keys) == 1 else b""
    if node.type == "attribute":
        node = syntax.leaf_of(node)
    return source.text_of(node) if node.type == "identifier" else b""


# --- methods of TensorFlow's objects ----------------------------------------------------------------------------------

# Methods that only TensorFlow 1's datasets have.
ITERATORS = ("make_one_shot_iterator", "make_initializable_iterator")
# `.value` of a shape's size, as in `x.shape[0].value`: in TensorFlow 2 the size is a plain number.
SIZES = re.compile(rb"(?:\.get_shape\(\)|\.shape)(?:\.dims)?\s*\[[^\]\n]*\]\s*\.\s*value\b")
_SHAPE = re.compile(rb"(?:\.get_shape\(\)|\.shape)(?:\.dims)?\Z")


def may_use_lost_members(source: bytes) -> bool:
    """Returns True if a text may use members that `lost_members` yields; a fast test."""
    return b"able_iterator" in source or b"shot_iterator" in source or SIZES.search(source) is not None


def lost_members(names: Names) -> Iterator[tuple[Node, str, str]]:
    """Yields the uses of members that TensorFlow 1's objects have and TensorFlow 2's lack, found by name.

    Yields:
        (attribute, name of the member, remedy).
    """
    source = names.source
    if not may_use_lost_members(source.text):
        return
    for name in ITERATORS:
        for node in source.identifiers(name.encode()):
            named = syntax.attribute_named(node)
            if named is not None and syntax.call_of(named) is not None and not _is_of_compat_v1(names, named):
                yield (
                    named,
                    f"Dataset.{name}",
                    f"Write tf.compat.v1.data.{name}(dataset), or iter(dataset) where it runs eagerly",
                )
    for node in source.identifiers(b"value") if SIZES.search(source.text) else ():
        named = syntax.attribute_named(node)
        parts = syntax.attribute(named) if named is not None else None
        if named is None or parts is None or parts.object.type != "subscript":
            continue
        if _SHAPE.search(b"".join(source.text_of(syntax.subscripted(parts.object)).split())):
            yield (
                named,
                "Dimension.value",
                "Remove .value: a size is a number there, or tf.compat.v1.dimension_value(…)",
            )


def _is_of_compat_v1(names: Names, method: Node) -> bool:
    """Returns True for a method of a compat.v1 dataset, which still has it, and for a function of tf.data."""
    node: Node | None = syntax.attribute(method).object  # type: ignore[union-attr]
    for _ in range(100):
        if node is None:
            return False
        if node.type == "call":
            node = syntax.callee(node)
            continue
        if node.type in ("attribute", "identifier"):
            paths = {path for path in names.paths(node) if path != UNKNOWN}
            if paths:
                dotted = [tf1_name(path) for path in paths]
                return all(map(is_compat_v1, paths)) or "data" in dotted or None in dotted
        if node.type == "attribute":
            node = syntax.attribute(node).object  # type: ignore[union-attr]
        else:
            node = names.only_value(node) if node.type == "identifier" else None
    return False
