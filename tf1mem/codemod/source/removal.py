"""Edits that take a whole statement out and leave its comments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from tree_sitter import Node

from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.edits import replace
from tf1mem.codemod.source.syntax import without_comments

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts


def taken_out(facts: Facts, statement: Node, also: tuple[Node, ...] = ()) -> Edit:
    """The edit that takes a statement out: with its lines, if it has them to itself.

    Args:
        facts: The module's facts.
        statement: A child of a block or of the module.
        also: Other statements of the block that are taken out as well.

    Returns:
        An edit that leaves `pass` where the block would be empty, or where others share the line.
    """
    source = facts.source
    start, end = source.line_start(statement.start_byte), source.line_end(statement.end_byte)
    before, behind = source.text[start : statement.start_byte], source.text[statement.end_byte : end].strip()
    block = statement.parent
    gone = {statement.id, *(other.id for other in also)}
    beside = without_comments(block)
    if all(child.id in gone for child in beside) and not (block is not None and block.type == "module"):
        return replace(statement, b"pass")
    if before.strip() or (behind and not behind.startswith(b"#")):
        return replace(statement, b"pass")
    kept = [facts.text(comment) for comment in _comments(statement)]
    if behind:
        kept.append(behind)
    lines = [before + comment for comment in kept]
    if source.text.endswith((b"\n", b"\r")) or end < len(source.text):
        return Edit(start, end, b"".join(line + source.newline for line in lines))
    if not lines and start > 0:  # the line before becomes the last, and ends as this one did
        start -= 2 if source.text[:start].endswith(b"\r\n") else 1
    return Edit(start, end, source.newline.join(lines))


def _comments(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type == "comment":
            yield child
        else:
            yield from _comments(child)
