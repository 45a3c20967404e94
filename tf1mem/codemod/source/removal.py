"""Edits that remove a statement, a name of an import or an argument, and leave the source around it unchanged."""

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
    """Returns an edit that removes a statement, with its lines if they hold nothing else; comments stay.

    Args:
        source: The module's source.
        statement: A child of a block or of the module.

    Returns:
        An edit that writes `pass` if the block would become empty, or if the statement is the last of several on a
            line.
    """
    start, end = source.line_start(statement.start_byte), source.line_end(statement.end_byte)
    before, behind = source.text[start : statement.start_byte], source.text[statement.end_byte : end]
    remainder = behind.lstrip(b" \t;") if behind.lstrip().startswith(b";") else behind
    is_alone = not before.strip() and (not remainder.strip() or remainder.lstrip().startswith(b"#"))
    kept = [source.text_of(comment) for comment in comments(statement)] if not before.strip() else []
    if leaves_empty_block(statement):
        return replace(statement, (source.newline + before).join([*kept, b"pass"]))
    if not is_alone:
        if remainder == behind:
            return replace(statement, b"pass")
        above = b"".join(comment + source.newline + before for comment in kept)
        return Edit(statement.start_byte, end - len(remainder), above)
    lines = [before + comment for comment in (*kept, remainder.strip()) if comment]
    if source.text.endswith((b"\n", b"\r")) or end < len(source.text):
        return Edit(start, end, b"".join(line + source.newline for line in lines))
    if not lines and start > 0:  # the previous line becomes the last, and gets this one's ending
        start -= 2 if source.text[:start].endswith(b"\r\n") else 1
    return Edit(start, end, source.newline.join(lines))


def leaves_empty_block(statement: Node, also: Sequence[Node] = ()) -> bool:
    """Returns True if a statement begins a block that would be empty without it and the statements of `also`."""
    block = statement.parent
    if block is None or block.type == "module":
        return False
    inside = without_comments(block)
    return inside[0] == statement and all(child == statement or child in also for child in inside)


def without_items(items: Sequence[Node], removed: Sequence[Node]) -> list[Edit]:
    """Returns edits that remove some names of an import, each with the comma after it; at the end, with the one before.

    Args:
        items: All items of the statement, in order.
        removed: The items to remove; at least one item remains.
    """
    last = next(item for item in reversed(items) if item not in removed)
    return [
        Edit(item.start_byte, items[place + 1].start_byte, b"")
        if item.start_byte < last.start_byte
        else Edit(items[place - 1].end_byte, item.end_byte, b"")
        for place, item in enumerate(items)
        if item in removed
    ]


def without_argument(source: Source, call: Node, argument: Node) -> Edit:
    """Returns an edit that removes an argument of a call, with the comma that becomes superfluous.

    Args:
        source: The module's source.
        call: The call.
        argument: One of the call's arguments, including its keyword.
    """
    passed = arguments(call)
    brackets = passed[0].parent
    assert brackets is not None
    inside = brackets.named_children
    place = passed.index(argument)
    if len(inside) == 1:
        return Edit(brackets.start_byte + 1, brackets.end_byte - 1, b"")
    if len(passed) == len(inside) and place > 0:
        return Edit(passed[place - 1].end_byte, argument.end_byte, b"")
    if len(passed) == len(inside):
        return Edit(argument.start_byte, passed[1].start_byte, b"")
    behind = _COMMA.match(source.text, argument.end_byte)  # comments stay
    return Edit(argument.start_byte, argument.end_byte if behind is None else behind.end(), b"")
