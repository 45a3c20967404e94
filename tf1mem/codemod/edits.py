"""Applying edits to bytes."""

from __future__ import annotations

from typing import Iterable, Sequence

from tree_sitter import Tree

from tf1mem.codemod.results import Edit
from tf1mem.codemod.source import Source, broken_places, parse, readable


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


def parses_as_well(source: Source, edits: Sequence[Edit], after: bytes) -> bool:
    """Whether source parses after edits if it parsed before; and if it didn't, whether it got no worse.

    Args:
        source: As it was.
        edits: In order.
        after: What they make of it.
    """
    return len(broken_places(_tree_after(source, edits, after))) <= len(broken_places(source.tree))


def _tree_after(source: Source, edits: Sequence[Edit], after: bytes) -> Tree:
    tree = source.tree.copy()
    for edit in reversed(edits):
        start = source.point(edit.start)
        lines = readable(edit.text).split(b"\n")
        end = (start[0] + len(lines) - 1, len(lines[-1]) + (start[1] if len(lines) == 1 else 0))
        tree.edit(edit.start, edit.end, edit.start + len(edit.text), start, source.point(edit.end), end)
    return parse(after, tree)
