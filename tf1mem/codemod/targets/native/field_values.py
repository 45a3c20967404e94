"""Reads the value of a config's field from the source: a constant, or the expression itself."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from tree_sitter import Node

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

# An enum's member (`tf.OptimizerOptions.ON_1`), by its name alone.
_MEMBER = re.compile(r"(?:\w+\.)+([A-Z][A-Z0-9_]*)\Z")
# Conversions of one number to the text of visible_device_list: str(x), '%d' % x, '{}'.format(x), f'{x}'.
_AS_TEXT = (
    re.compile(r"str\((?P<number>.*)\)\Z", re.DOTALL),
    re.compile(r"[\"']%[ds][\"']\s*%\s*(?P<number>[\w.]+|\(\w+,?\))\Z"),
    re.compile(r"[\"']\{0?(?::d)?\}[\"']\.format\((?P<number>.*)\)\Z", re.DOTALL),
    re.compile(r"[fF][\"']\{(?P<number>[\w.()]+)\}[\"']\Z"),
)
# Expressions that are surely numbers: Horovod's ranks are the most common.
_NUMBER = re.compile(r"(?:[\w.]*\brank|[\w.]*_rank)\(\)\Z|(?:[\w.]*_)?rank\Z|int\(.*\)\Z", re.DOTALL)


# A value that is known only at run time.
UNKNOWN = object()


class Value(NamedTuple):
    """The value of a field.

    Attributes:
        text: The expression, one character for each byte.
        constant: The constant; `UNKNOWN` if only the running program knows it. An enum's member is its name.
        is_named: False if the literal stands in the place of the value; True for a variable, whose value the author may
            change later, and for any other expression.
        node: The expression's node; None for a value that the codemod adds.
    """

    text: str
    constant: Any
    is_named: bool = False
    node: Node | None = None

    @property
    def is_literal(self) -> bool:
        """Returns True if the field's value is written as a literal."""
        return self.constant is not UNKNOWN and not self.is_named

    @property
    def is_default(self) -> bool:
        """Returns True for a scalar's default, which ConfigProto treats as not set."""
        return self.is_literal and self.constant in (None, False, 0, "", "DEFAULT")


_KEEP_APPLY = "Keep tf1mem.apply for it, which can pass it on."


class InexpressibleError(Exception):
    """A config has no equivalent in TensorFlow 2's own calls, because of a setting or of its use.

    Args:
        why: The reason, as a remark states it.
        remedy: The remedy, as a remark states it.
    """

    def __init__(self, why: str, remedy: str = _KEEP_APPLY) -> None:
        super().__init__(why)
        self.why, self.remedy = why, remedy


def read(facts: Facts, node: Node) -> Value:
    """Returns the value that an expression has, as far as the source shows it.

    Args:
        facts: The module's facts.
        node: The expression of the field's value.
    """
    while node.type == "parenthesized_expression" and len(node.named_children) == 1:
        node = node.named_children[0]
    text = facts.text(node).decode("latin-1")
    constant = _literal(text)
    if constant is not UNKNOWN:
        return Value(text, constant, node=node)
    member = _MEMBER.match(text)
    if member is not None and node.type == "attribute" and None not in facts.tf1_names(node):
        return Value(text, member.group(1), node=node)
    return Value(text, _constant_of_name(facts, node), is_named=True, node=node)


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return UNKNOWN


def _constant_of_name(facts: Facts, node: Node) -> Any:
    """Returns the constant that a name stands for, if it is bound once, to a literal; else `UNKNOWN`."""
    value = facts.names.only_value(node) if node.type == "identifier" else None
    constant = UNKNOWN if value is None else _literal(facts.text(value).decode("latin-1"))
    return constant if isinstance(constant, (bool, int, float, str)) else UNKNOWN


def one_index(value: Value) -> str | None:
    """Returns the expression of the single GPU in a visible_device_list; None if the list may have more than one.

    Args:
        value: The field's value, which isn't literal, such as `str(hvd.local_rank())`.
    """
    if value.is_named and isinstance(value.constant, str) and value.constant.isdigit():
        return f"int({value.text})"
    for pattern in _AS_TEXT:
        match = pattern.match(value.text)
        if match is None:
            continue
        inner = match.group("number").strip()
        try:
            tree = ast.parse(inner.encode("latin-1").decode("utf-8", "replace"), mode="eval").body
        except (SyntaxError, ValueError):
            return None
        if isinstance(tree, (ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp, ast.JoinedStr, ast.Starred)):
            return None
        if isinstance(tree, ast.Constant):
            return inner if isinstance(tree.value, int) else None
        return inner if _NUMBER.match(inner) or isinstance(tree, ast.BinOp) else f"int({inner})"
    return None
