"""Finds configs that reach the call that takes them in a dict of keyword arguments: `tf.Session(**options)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, NamedTuple

from tree_sitter import Node

from tf1mem.codemod.source import syntax

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

_INTO_DICTS = (b"update", b"setdefault", b"__setitem__")


class KeywordValues(NamedTuple):
    """The values that a call gets for one keyword by `**keywords`.

    Attributes:
        values: The expressions that the config may be, as far as the file shows.
        is_open: True if it may have other values, which the file doesn't show.
    """

    values: list[Node]
    is_open: bool


def splats(call: Node) -> list[Node]:
    """Returns the arguments of a call that unpack: `*arguments` and `**keywords`."""
    return [argument for argument in syntax.arguments(call) if syntax.is_splat(argument)]


def keyword_values(facts: Facts, splat: Node, keyword: str) -> KeywordValues:
    """Returns the values that a splat passes for a keyword.

    Args:
        facts: The module's facts.
        splat: The argument, `*arguments` or `**keywords`. The values of `*arguments` are unknown.
        keyword: Name of the config's argument.
    """
    inside = syntax.without_comments(splat)
    if splat.type != "dictionary_splat" or len(inside) != 1:
        return KeywordValues([], True)
    return _values_in_dict(facts, inside[0], keyword.encode(), 8)


def _values_in_dict(facts: Facts, node: Node, keyword: bytes, depth: int) -> KeywordValues:
    """Returns the values that a dict holds for a key.

    Args:
        facts: The module's facts.
        node: The expression of the dict.
        keyword: The key, in UTF-8.
        depth: The number of variables and calls of `dict` that may still be followed.
    """
    if node.type == "dictionary":
        values = [pair.value for pair in syntax.pairs(node) if _is_text(facts, pair.name, keyword)]
        is_open = any(child.type == "dictionary_splat" for child in node.named_children)
        return KeywordValues(values, is_open or any(pair.name.type != "string" for pair in syntax.pairs(node)))
    if node.type == "call" and facts.text(syntax.callee(node)) == b"dict":
        named = [pair for pair in map(syntax.keyword, syntax.arguments(node)) if pair is not None]
        values = [pair.value for pair in named if facts.text(pair.name) == keyword]
        others = [
            _values_in_dict(facts, each, keyword, depth - 1)
            for each in syntax.arguments(node)
            if syntax.keyword(each) is None
        ]
        return _merged([KeywordValues(values, False), *others])
    if node.type == "conditional_expression" and len(node.named_children) == 3:
        return _merged([_values_in_dict(facts, each, keyword, depth) for each in node.named_children[::2]])
    if node.type == "identifier" and depth:
        sources = [
            _values_of_binding(facts, binding.value, binding.kind, keyword, depth)
            for binding in facts.names.visible(node)
        ]
        same = [used for binding in facts.names.visible(node) for used in facts.names.uses(binding)]
        return _merged(
            [*(sources or [KeywordValues([], True)]), KeywordValues([*_values_put_into(facts, same, keyword)], False)]
        )
    if node.type == "attribute" and depth:
        assigned = [syntax.assigned(each) for each in facts.assignments_to(node)]
        sources = [_values_in_dict(facts, value, keyword, depth - 1) for value in assigned if value is not None]
        same = [
            used
            for name in facts.source.identifiers(facts.text(syntax.leaf_of(node)))
            for used in [syntax.attribute_named(name)]
            if used is not None and facts.text(used) == facts.text(node)
        ]
        return _merged(
            [*(sources or [KeywordValues([], True)]), KeywordValues([*_values_put_into(facts, same, keyword)], False)]
        )
    return KeywordValues([], True)


def _values_of_binding(facts: Facts, value: Node | None, kind: str, keyword: bytes, depth: int) -> KeywordValues:
    if kind != "assignment" or value is None:
        return KeywordValues([], True)
    return _values_in_dict(facts, value, keyword, depth - 1)


def _values_put_into(facts: Facts, uses: list[Node], keyword: bytes) -> Iterator[Node]:
    """Yields the values that a dict gets for a key by `d[key] = value`, `update`, `setdefault` and `__setitem__`.

    Args:
        facts: The module's facts.
        uses: The places that name the dict.
        keyword: The key, in UTF-8.
    """
    for used in uses:
        item, method = syntax.subscript_of(used), syntax.attribute_of(used)
        if item is not None and any(_is_text(facts, key, keyword) for key in syntax.indices(item)):
            assignment = syntax.assignment_to(item)
            value = syntax.assigned(assignment) if assignment is not None else None
            if value is not None:
                yield value
        call = syntax.call_of(method) if method is not None else None
        if method is None or call is None or facts.text(syntax.leaf_of(method)) not in _INTO_DICTS:
            continue
        listed = syntax.arguments(call)
        if len(listed) == 2 and _is_text(facts, listed[0], keyword):
            yield listed[1]
        for argument in listed:
            pair = syntax.keyword(argument)
            if pair is not None and facts.text(pair.name) == keyword:
                yield pair.value
            elif argument.type in ("dictionary", "call"):
                yield from _values_in_dict(facts, argument, keyword, 1).values


def _is_text(facts: Facts, node: Node, text: bytes) -> bool:
    return node.type == "string" and facts.text(node).strip(b"'\"") == text


def _merged(parts: list[KeywordValues]) -> KeywordValues:
    values = {value.start_byte: value for each in parts for value in each.values}
    return KeywordValues([values[place] for place in sorted(values)], any(each.is_open for each in parts))
