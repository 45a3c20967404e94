"""Edits that take something away and leave the rest as it was: a statement, a name of an import, an argument."""

from __future__ import annotations

import re
from typing import Sequence

from tree_sitter import Node

from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.edits import replace
from tf1mem.codemod.source.syntax import arguments, comments, without_comments
from tf1mem.codemod.source.tree import Source

_COMMA = re.compile(rb"\s*,[ \t]*")


def without_statement(source: Source, statement: Node) -> Edit:
    """The edit that takes a statement away: with its lines where it has them to itself, and its comments stay there.

    Args:
        source: The module.
        statement: A child of a block or of the module.

    Returns:
        An edit that leaves `pass` where the block would be empty, or behind another statement of its line.
    """
    start, end = source.line_start(statement.start_byte), source.line_end(statement.end_byte)
    before, behind = source.text[start : statement.start_byte], source.text[statement.end_byte : end]
    rest = behind.lstrip(b" \t;") if behind.lstrip().startswith(b";") else behind
    is_alone = not before.strip() and (not rest.strip() or rest.lstrip().startswith(b"#"))
    kept = [source.text_of(comment) for comment in comments(statement)] if not before.strip() else []
    if holds_the_block(statement):
        return replace(statement, (source.newline + before).join([*kept, b"pass"]))
    if not is_alone:
        if rest == behind:
            return replace(statement, b"pass")
        above = b"".join(comment + source.newline + before for comment in kept)
        return Edit(statement.start_byte, end - len(rest), above)
    lines = [before + comment for comment in (*kept, rest.strip()) if comment]
    if source.text.endswith((b"\n", b"\r")) or end < len(source.text):
        return Edit(start, end, b"".join(line + source.newline for line in lines))
    if not lines and start > 0:  # the line before becomes the last, and ends as this one did
        start -= 2 if source.text[:start].endswith(b"\r\n") else 1
    return Edit(start, end, source.newline.join(lines))


def holds_the_block(statement: Node, also: Sequence[Node] = ()) -> bool:
    """Whether a statement is the first of a block that would be empty without it, and without others of that block."""
    block = statement.parent
    if block is None or block.type == "module":
        return False
    inside = without_comments(block)
    return inside[0] == statement and all(child == statement or child in also for child in inside)


def without_items(items: Sequence[Node], gone: Sequence[Node]) -> list[Edit]:
    """The edits that take some of an import's names away, each with the comma behind it, or the one before.

    Args:
        items: All of the statement's.
        gone: Those that go, not all of them.
    """
    last = next(item for item in reversed(items) if item not in gone)
    return [
        Edit(item.start_byte, items[place + 1].start_byte, b"")
        if item.start_byte < last.start_byte
        else Edit(items[place - 1].end_byte, item.end_byte, b"")
        for place, item in enumerate(items)
        if item in gone
    ]


def without_argument(source: Source, call: Node, argument: Node) -> Edit:
    """The edit that takes an argument away from a call, with the comma that it doesn't need any more.

    Args:
        source: The module.
        call: The call.
        argument: One of its arguments, all of it.
    """
    given = arguments(call)
    brackets = given[0].parent
    assert brackets is not None
    inside = brackets.named_children
    place = given.index(argument)
    if len(inside) == 1:
        return Edit(brackets.start_byte + 1, brackets.end_byte - 1, b"")
    if len(given) == len(inside) and place > 0:
        return Edit(given[place - 1].end_byte, argument.end_byte, b"")
    if len(given) == len(inside):
        return Edit(argument.start_byte, given[1].start_byte, b"")
    behind = _COMMA.match(source.text, argument.end_byte)  # comments stay where they are
    return Edit(argument.start_byte, argument.end_byte if behind is None else behind.end(), b"")
