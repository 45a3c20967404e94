"""Makes unified diffs of bytes that differ in a few places.

difflib compares all lines with all others, which for a tree takes longer than the rewriting, and supports text only.
Here two files are read side by side; where they differ, the nearest place is searched for where they agree again.
"""

from __future__ import annotations

import os
from typing import Iterator, NamedTuple, Sequence

from tf1mem.errors import commands

_CONTEXT = 3
_FAR = 400  # lines, of both files together, within which an agreement is searched for
_TELLING = 4  # characters that a line needs to count as an agreement


class _Block(NamedTuple):
    """Lines that replace others: indices from 0, ends excluded."""

    old: int
    old_end: int
    new: int
    new_end: int


def unified(path: str, old: bytes, new: bytes) -> bytes:
    r"""Returns a diff that `patch` and `git apply` accept, byte for byte.

    Args:
        path: Path for the headers: below a/ and b/ unless it is absolute.
        old: The old bytes.
        new: The new bytes.

    Returns:
        The diff, with lines ended by \n; b"" if nothing differs.
    """
    if old == new:
        return b""
    old_lines, new_lines = _lines(old), _lines(new)
    name = os.fsencode(path.replace(os.sep, "/"))
    sides = (b"", b"") if os.path.isabs(path) else (b"a/", b"b/")
    pieces = [b"--- " + _named(sides[0] + name) + b"\n", b"+++ " + _named(sides[1] + name) + b"\n"]
    for hunk in _hunks(_blocks(old_lines, new_lines)):
        pieces += _hunk(hunk, old_lines, new_lines)
    return b"".join(pieces)


def _named(name: bytes) -> bytes:
    """Returns a name as git and patch read it: quoted, with octal escapes, if it would be ambiguous.

    Characters that aren't printable are escaped, too, and the first character of anything that CI takes for a command.
    """
    text = os.fsdecode(name)
    quoted = "".join(
        sign if sign.isprintable() and sign not in '"\\' and not is_command else _octal(sign)
        for sign, is_command in zip(text, commands(text))
    )
    return name if quoted == text else os.fsencode(f'"{quoted}"')


def _octal(sign: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(sign))


def _lines(source: bytes) -> list[bytes]:
    *lines, last = source.split(b"\n")
    return [line + b"\n" for line in lines] + ([last] if last else [])


def _blocks(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[_Block]:
    """Yields the differing blocks of two texts, in order; each ends at the nearest lines that agree."""
    at, other = 0, 0
    while True:
        while at < len(old) and other < len(new) and old[at] == new[other]:
            at, other = at + 1, other + 1
        if at == len(old) and other == len(new):
            return
        end, other_end = _meeting(old, new, at, other)
        yield _Block(at, end, other, other_end)
        at, other = end, other_end


def _meeting(old: Sequence[bytes], new: Sequence[bytes], at: int, other: int) -> tuple[int, int]:
    """Returns the nearest place after a difference where the lines agree again."""
    for distance in range(1, _FAR):
        for more in range(distance + 1):
            end, other_end = at + distance - more, other + more
            if end <= len(old) and other_end <= len(new) and _meet(old, new, end, other_end):
                return end, other_end
    end, other_end = len(old), len(new)
    while end > at and other_end > other and old[end - 1] == new[other_end - 1]:
        end, other_end = end - 1, other_end - 1
    return end, other_end


def _meet(old: Sequence[bytes], new: Sequence[bytes], at: int, other: int) -> bool:
    if at == len(old) or other == len(new):
        return at == len(old) and other == len(new)
    if old[at] != new[other]:
        return False
    # Blank lines and brackets are the same everywhere: the next line has to agree too.
    return len(old[at].strip()) >= _TELLING or old[at + 1 : at + 2] == new[other + 1 : other + 2]


def _hunks(blocks: Iterator[_Block]) -> Iterator[list[_Block]]:
    hunk: list[_Block] = []
    for block in blocks:
        if hunk and block.old - hunk[-1].old_end > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(block)
    if hunk:
        yield hunk


def _hunk(blocks: Sequence[_Block], old: Sequence[bytes], new: Sequence[bytes]) -> list[bytes]:
    """Returns the lines of one hunk: its blocks, with the context before, between and after them."""
    first, last = blocks[0], blocks[-1]
    before = min(_CONTEXT, first.old)
    after = min(_CONTEXT, len(old) - last.old_end)
    at = first.old - before
    ranges = _range(at, last.old_end + after), _range(first.new - before, last.new_end + after)
    pieces = [b"@@ -%s +%s @@\n" % ranges]
    for block in blocks:
        pieces += [_line(b" ", line) for line in old[at : block.old]]
        pieces += [_line(b"-", line) for line in old[block.old : block.old_end]]
        pieces += [_line(b"+", line) for line in new[block.new : block.new_end]]
        at = block.old_end
    pieces += [_line(b" ", line) for line in old[at : at + after]]
    return pieces


def _range(begin: int, end: int) -> bytes:
    count = end - begin
    return b"%d" % (begin + 1) if count == 1 else b"%d,%d" % (begin + (count > 0), count)


def _line(sign: bytes, line: bytes) -> bytes:
    return sign + line if line.endswith(b"\n") else sign + line + b"\n\\ No newline at end of file\n"
