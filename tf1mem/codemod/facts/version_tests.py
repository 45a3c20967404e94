"""Decides for which TensorFlows, 1 or 2, a comparison of TensorFlow's version holds.

Programs for TensorFlow 1 test whether TensorFlow is at least 1.4, or still 0.12. On 1.15 and on all of TensorFlow 2
such a test has the same result; so the code under it isn't written for TensorFlow 2.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Callable, Iterable

from tree_sitter import Node

from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.names import Names

# The first version of TensorFlow 2, and the last minor version of TensorFlow 1.
_FIRST_2, _LAST_1 = (2,), (1, 15)
_VERSION = re.compile(rb"\s*v?(\d+(?:\.\d+)*)")
# A sign that a minor version is compared, and not the whole version.
_MINOR = re.compile(rb"\[\s*1\s*\]|minor", re.IGNORECASE)
# Operators -> the operator with the sides exchanged; and operators -> True if equal versions fulfil them.
_SWAPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_EQUAL = {"==": True, "is": True, "in": True, "!=": False, "<>": False, "is not": False, "not in": False}
_DEPTH = 4  # the most variables and nested expressions to follow to a version


class TestedSide(Enum):
    """The result of a condition on TensorFlow 1.15 and on TensorFlow 2."""

    OPEN = "unknown, since the condition isn't about the version"
    SPLITS = "it may hold on one of the two alone"
    ALWAYS = "it holds on both"
    NEVER = "it holds on neither"


_OPPOSITE = {TestedSide.ALWAYS: TestedSide.NEVER, TestedSide.NEVER: TestedSide.ALWAYS}


def opposite(side: TestedSide) -> TestedSide:
    """Returns the side of the opposite of a condition."""
    return _OPPOSITE.get(side, side)


def all_of(sides: Iterable[TestedSide]) -> TestedSide:
    """Returns the side of conditions that are joined by `and`."""
    seen = set(sides)
    for side in (TestedSide.NEVER, TestedSide.SPLITS, TestedSide.OPEN):
        if side in seen:
            return side
    return TestedSide.ALWAYS


def any_of(sides: Iterable[TestedSide]) -> TestedSide:
    """Returns the side of conditions that are joined by `or`."""
    return opposite(all_of(map(opposite, sides)))


def of_comparison(names: Names, comparison: Node, shows_version: Callable[[Node], bool]) -> TestedSide:
    """Returns the side of a comparison.

    Args:
        names: The module's names.
        comparison: The node, with any number of operators.
        shows_version: Returns True for an operand that comes from TensorFlow's version.
    """
    operands = syntax.without_comments(comparison)
    operators = [child.type for child in comparison.children if not child.is_named and child.type in _KNOWN]
    if len(operators) != len(operands) - 1:
        return TestedSide.SPLITS if any(map(shows_version, operands)) else TestedSide.OPEN
    return all_of(
        _side_of_pair(names, left, operator, right, shows_version)
        for left, operator, right in zip(operands, operators, operands[1:])
    )


_KNOWN = frozenset([*_SWAPPED, *_EQUAL])


def _side_of_pair(
    names: Names, left: Node, operator: str, right: Node, shows_version: Callable[[Node], bool]
) -> TestedSide:
    if shows_version(left):
        versions, other = _versions(names, right, is_membership="in" in operator), left
    elif shows_version(right):
        versions, other, operator = _versions(names, left), right, _SWAPPED.get(operator, operator)
    else:
        return TestedSide.OPEN
    if _MINOR.search(names.source.text_of(other)) or any(len(version) == 1 and version[0] > 2 for version in versions):
        return TestedSide.OPEN  # TensorFlow 2 has each of these minor versions, too
    if not versions:
        return TestedSide.SPLITS
    return all_of(_side_of_version(operator, version) for version in versions)


def begins(source: bytes) -> TestedSide:
    """Returns the side of `version.startswith(text)`."""
    version = _parsed(source)
    return TestedSide.SPLITS if version is None else _side_of_version("==", version)


def _side_of_version(operator: str, version: tuple[int, ...]) -> TestedSide:
    if operator in _EQUAL:
        is_early = version < _FIRST_2 and (len(version) > 1 or version[0] == 0)
        side = TestedSide.NEVER if is_early else TestedSide.SPLITS
        return side if _EQUAL[operator] else opposite(side)
    if version == (1,):
        is_early = operator in (">=", "<")
    else:
        is_early = version < _LAST_1 or (version[:2] == _LAST_1 and operator in (">=", "<"))
    if not is_early:
        return TestedSide.SPLITS
    return TestedSide.ALWAYS if operator in (">", ">=") else TestedSide.NEVER


def _versions(names: Names, node: Node, is_membership: bool = False) -> list[tuple[int, ...]]:
    """Returns the versions that an expression stands for; none if it can't be read."""
    if is_membership and node.type in ("tuple", "list", "set"):
        versions = [_constant(names, child, _DEPTH) for child in syntax.without_comments(node)]
        return [version for version in versions if version is not None] if None not in versions else []
    version = _constant(names, node, _DEPTH)
    return [] if version is None else [version]


def _constant(names: Names, node: Node, depth: int) -> tuple[int, ...] | None:
    if not depth:
        return None
    source = names.source
    if node.type == "string":
        return _parsed(source.string(node) or b"")
    if node.type in ("integer", "float"):
        return _parsed(source.text_of(node))
    if node.type in ("tuple", "list"):
        parts = [_constant(names, child, depth - 1) for child in syntax.without_comments(node)]
        return None if None in parts or not parts else tuple(part[0] for part in parts if part)
    if node.type == "parenthesized_expression":
        return _constant(names, node.named_children[0], depth)
    if node.type == "call":  # LooseVersion("1.4")
        passed = syntax.arguments(node)
        return _constant(names, passed[0], depth - 1) if len(passed) == 1 else None
    value = names.only_value(node) if node.type == "identifier" else None
    return None if value is None else _constant(names, value, depth - 1)


def _parsed(text: bytes) -> tuple[int, ...] | None:
    match = _VERSION.match(text)
    return None if match is None else tuple(map(int, match.group(1).split(b".")))
