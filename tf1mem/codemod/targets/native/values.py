"""Values as the source says them: a constant where it is one, else the expression itself."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from tree_sitter import Node

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

# An enum's member (`tf.OptimizerOptions.ON_1`), by its name alone.
_MEMBER = re.compile(r"(?:\w+\.)+([A-Z][A-Z0-9_]*)\Z")
# What turns one number into the text of visible_device_list: str(x), '%d' % x, '{}'.format(x), f'{x}'.
_AS_TEXT = (
    re.compile(r"str\((?P<of>.*)\)\Z", re.DOTALL),
    re.compile(r"[\"']%[ds][\"']\s*%\s*(?P<of>[\w.]+|\(\w+,?\))\Z"),
    re.compile(r"[\"']\{0?(?::d)?\}[\"']\.format\((?P<of>.*)\)\Z", re.DOTALL),
    re.compile(r"[fF][\"']\{(?P<of>[\w.()]+)\}[\"']\Z"),
)
# Numbers for sure: Horovod's ranks are what most programs ask for.
_NUMBER = re.compile(r"(?:[\w.]*\brank|[\w.]*_rank)\(\)\Z|(?:[\w.]*_)?rank\Z|int\(.*\)\Z", re.DOTALL)


# What a program knows only when it runs.
UNKNOWN = object()


class Value(NamedTuple):
    """What a field is given.

    Attributes:
        text: The expression, each byte a character.
        constant: What it is; `UNKNOWN` where only the running program knows. An enum's member is its name.
        is_named: Whether it is a constant by a name that the program gave it, by which it may be changed one day.
        node: The expression's node; None for what the codemod says by itself.
    """

    text: str
    constant: Any
    is_named: bool = False
    node: Node | None = None

    @property
    def is_literal(self) -> bool:
        """Whether the source says it in this very place."""
        return self.constant is not UNKNOWN and not self.is_named

    @property
    def is_nothing(self) -> bool:
        """Whether it is a scalar's default, with which ConfigProto takes a field for not set."""
        return self.is_literal and self.constant in (None, False, 0, "", "DEFAULT")


_BY_HAND = "Leave it with tf1mem.apply, which carries it."


class Unsayable(Exception):  # noqa: N818 - it says what a setting is
    """A setting that TensorFlow 2's own calls can't say: why, and what to do by hand."""

    def __init__(self, why: str, remedy: str = _BY_HAND) -> None:
        super().__init__(why)
        self.why, self.remedy = why, remedy


def read(facts: Facts, node: Node) -> Value:
    """Reads a value off the source.

    Args:
        facts: The module's facts.
        node: The expression that a field is given.
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
    return Value(text, _by_name(facts, node), is_named=True, node=node)


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return UNKNOWN


def _by_name(facts: Facts, node: Node) -> Any:
    """The constant that a name stands for: one that is bound once, to a literal."""
    value = facts.names.only_value(node) if node.type == "identifier" else None
    found = UNKNOWN if value is None else _literal(facts.text(value).decode("latin-1"))
    return found if isinstance(found, (bool, int, float, str)) else UNKNOWN


def one_index(value: Value) -> str | None:
    """The expression of the one GPU that a text of visible_device_list is made of; None where it isn't one.

    Args:
        value: What visible_device_list is given, such as `str(hvd.local_rank())`.
    """
    if value.is_named and isinstance(value.constant, str) and value.constant.isdigit():
        return f"int({value.text})"
    for pattern in _AS_TEXT:
        found = pattern.match(value.text)
        if found is None:
            continue
        inner = found.group("of").strip()
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
