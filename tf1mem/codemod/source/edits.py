"""Applying edits to bytes."""

from __future__ import annotations

import re
from typing import Iterable, Sequence

from tree_sitter import Node, Tree

from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.tree import Source, broken_places, parse, readable

# A comment that keeps a line as it is.
SKIP = re.compile(rb"#\s*tf1mem:\s*skip\b")


def replace(node: Node, text: bytes) -> Edit:
    """An edit that puts other bytes in a node's place."""
    return Edit(node.start_byte, node.end_byte, text)


def insert(offset: int, text: bytes) -> Edit:
    """An edit that adds bytes."""
    return Edit(offset, offset, text)


def wrap(node: Node, before: bytes, after: bytes) -> tuple[Edit, Edit]:
    """Edits that put bytes around a node and leave it as it is, so that others can change what is in it."""
    return insert(node.start_byte, before), insert(node.end_byte, after)


def keep_only(node: Node, kept: Node, before: bytes, after: bytes) -> tuple[Edit, Edit]:
    """Edits that leave only one part of a node, as it is, with bytes around it."""
    return Edit(node.start_byte, kept.start_byte, before), Edit(kept.end_byte, node.end_byte, after)


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Edits in the order of the source; insertions at one place stay in the order in which they came."""
    return sorted(edits, key=lambda edit: (edit.start, edit.end))


def overlap(edits: Sequence[Edit]) -> bool:
    """Whether any two of these edits, in order, want to replace the same bytes, or say the same insertion twice."""
    return any(
        later.start < earlier.end or (later == earlier and later.start != later.end)
        for earlier, later in zip(edits, edits[1:])
    )


def apply(text: bytes, edits: Sequence[Edit]) -> bytes:
    """The bytes after edits that are in order and don't overlap."""
    parts, at = [], 0
    for edit in edits:
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    parts.append(text[at:])
    return b"".join(parts)


def with_the_same_end(text: bytes, edits: Sequence[Edit]) -> list[Edit]:
    """Edits, in order, that leave a text without a last line end without one, where they take its last line away."""
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
        last = Edit(previous.start, last.end, previous.text)  # what it wrote is the end now
    return [*before, Edit(start, last.end, written)]


def parses_as_well(source: Source, edits: Sequence[Edit], after: bytes) -> bool:
    """Whether source parses after edits if it parsed before; and if it didn't, whether it got no worse.

    Args:
        source: As it was.
        edits: In order.
        after: What they make of it.
    """
    if source.is_broken:  # a part that is parsed again may come out otherwise than with the whole
        return len(broken_places(parse(after))) <= len(broken_places(source.tree))
    return (
        all(_imports_as_before(source, edit) for edit in edits)
        or not _tree_after(source, edits, after).root_node.has_error
    )


_MODULE = re.compile(rb"[A-Za-z_][\w.]*(?: as [A-Za-z_]\w*)?(?:, [A-Za-z_][\w.]*)?")


def _imports_as_before(source: Source, edit: Edit) -> bool:
    """Whether an edit names another module in an import statement, and so leaves the rest of the file alone.

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
