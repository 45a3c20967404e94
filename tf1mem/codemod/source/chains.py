"""Finds names that are no attributes, and the members read from them, in a source's bytes, without parsing."""

from __future__ import annotations

import re
from typing import Iterator

from tf1mem.codemod.source.tree import occurrences

_MEMBERS = re.compile(rb"(?:\s*\.\s*[A-Za-z_]\w*)+")
_MAY_GO_ON = frozenset(b". \t\n\r\v\f")


def words(text: bytes, word: bytes) -> Iterator[int]:
    """Yields the offsets of a word that is neither part of a longer word nor an attribute."""
    return (at for at in occurrences(text, word) if text[at - 1 : at] != b".")


def chains(text: bytes, name: bytes) -> Iterator[tuple[str, int]]:
    """Yields the members after each occurrence of a name, such as ".train.Saver" or "", and the occurrence's offset.

    An occurrence is no attribute of something else and no part of a longer word. It may lie in a string or a comment.

    Args:
        text: Python source.
        name: An identifier.
    """
    size, last = len(name), len(text)
    for start in words(text, name):
        end = start + size
        members = _MEMBERS.match(text, end) if end < last and text[end] in _MAY_GO_ON else None
        yield "" if members is None else "".join(members.group().decode("utf-8", "replace").split()), start
