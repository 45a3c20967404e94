"""Edits of bytes: making, ordering, checking and applying them."""

from __future__ import annotations

import re
from typing import Iterable, Sequence

from tree_sitter import Node, Tree

from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.tree import Source, broken_places, parse, readable

# A comment that excludes its line.
SKIP = re.compile(rb"#\s*tf1mem:\s*skip\b")


def replace(node: Node, text: bytes) -> Edit:
    """Returns an edit that replaces a node."""
    return Edit(node.start_byte, node.end_byte, text)


def insert(offset: int, text: bytes) -> Edit:
    """Returns an edit that inserts bytes."""
    return Edit(offset, offset, text)


def wrap(node: Node, before: bytes, after: bytes) -> tuple[Edit, Edit]:
    """Returns edits that put bytes around a node without touching it, so that other edits can change its inside."""
    return insert(node.start_byte, before), insert(node.end_byte, after)


def keep_only(node: Node, kept: Node, before: bytes, after: bytes) -> tuple[Edit, Edit]:
    """Returns edits that reduce a node to one of its parts, with bytes around it."""
    return Edit(node.start_byte, kept.start_byte, before), Edit(kept.end_byte, node.end_byte, after)


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Returns edits in the order of the source; insertions at one place keep their order."""
    return sorted(edits, key=lambda edit: (edit.start, edit.end))


def overlap(edits: Sequence[Edit]) -> bool:
    """Returns True if two of these edits, in order, replace the same bytes; insertions at one place don't overlap."""
    return any(
        later.start < earlier.end or (later == earlier and later.start != later.end)
        for earlier, later in zip(edits, edits[1:])
    )


def apply(text: bytes, edits: Sequence[Edit]) -> bytes:
    """Returns the bytes after edits that are in order and don't overlap."""
    parts, at = [], 0
    for edit in edits:
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    parts.append(text[at:])
    return b"".join(parts)


def with_the_same_end(text: bytes, edits: Sequence[Edit]) -> list[Edit]:
    """Returns edits after which a text without a final line end still has none, even if its last line is removed."""
    if not edits or not text or text.endswith((b"\n", b"\r")) or edits[-1].end != len(text):
        return list(edits)
    *before, last = edits
    while True:
        written, start = last.text.rstrip(b"\r\n"), last.start
        if written:
            break
        start = max(len(text[:start].rstrip(b"\r\n")), before[-1].end if before else 0)
        if not before or start > before[-1].end:
            break
        previous = before.pop()
        last = Edit(previous.start, last.end, previous.text)  # its text is the end now
    return [*before, Edit(start, last.end, written)]


def parses_as_well(source: Source, edits: Sequence[Edit], after: bytes) -> bool:
    """Returns True if edited source parses as well as before: without errors, or with no more broken places.

    Args:
        source: The original source.
        edits: The edits, in order.
        after: The edited bytes.
    """
    if source.is_broken:  # a part parsed again may give another result than the whole
        return len(broken_places(parse(after))) <= len(broken_places(source.tree))
    return (
        all(_imports_as_before(source, edit) for edit in edits)
        or not _tree_after(source, edits, after).root_node.has_error
    )


_MODULE = re.compile(rb"[A-Za-z_][\w.]*(?: as [A-Za-z_]\w*)?(?:, [A-Za-z_][\w.]*)?")


def _imports_as_before(source: Source, edit: Edit) -> bool:
    """Returns True if an edit only names another module in an import statement, so that the file still parses.

    Most edits do; parsing the file again for them would be half of the work on a large tree.
    """
    node = source.node_at(edit.start, edit.end)
    while node is not None and node.type in ("identifier", "dotted_name") and (node.start_byte, node.end_byte) == (
        edit.start, edit.end,
    ):  # fmt: skip
        if node.type == "dotted_name" and node.parent is not None:
            alone = node.parent.type == "import_statement"
            named = node.parent.type in ("aliased_import", "import_from_statement")
            written = _MODULE.fullmatch(edit.text)
            return written is not None and (alone or (named and b" " not in edit.text))
        node = node.parent
    return False


def _tree_after(source: Source, edits: Sequence[Edit], after: bytes) -> Tree:
    tree = source.tree.copy()
    for edit in reversed(edits):
        start = source.point(edit.start)
        lines = readable(edit.text).split(b"\n")
        end = (start[0] + len(lines) - 1, len(lines[-1]) + (start[1] if len(lines) == 1 else 0))
        tree.edit(edit.start, edit.end, edit.start + len(edit.text), start, source.point(edit.end), end)
    return parse(after, tree)
