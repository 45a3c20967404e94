"""Finds the members that are read from a name, such as `.train.Saver` of `tf`, in a source's bytes, without parsing."""

from __future__ import annotations

import re
from typing import Iterator

from tf1mem.codemod.source.tree import WORD_BYTES

_MEMBERS = re.compile(rb"(?:\s*\.\s*[A-Za-z_]\w*)*")
_BEFORE = WORD_BYTES | {b"."}


def chains(text: bytes, name: bytes) -> Iterator[tuple[str, int]]:
    """Yields the members after each occurrence of a name, such as ".train.Saver" or "", and the occurrence's offset.

    An occurrence is no attribute of something else and no part of a longer word. It may lie in a string or a comment.

    Args:
        text: Python source.
        name: An identifier.
    """
    if not name:
        return  # tree-sitter inserts a name without text where the source lacks one
    start = text.find(name)  # many times faster than a pattern that begins with the name
    while start >= 0:
        end = start + len(name)
        if text[start - 1 : start] not in _BEFORE and text[end : end + 1] not in WORD_BYTES:
            members = _MEMBERS.match(text, end)
            assert members is not None  # the pattern also matches nothing
            yield "".join(members.group().decode("utf-8", "replace").split()), start
        start = text.find(name, end)
