"""Patterns that leave files out, as `.gitignore` and `--exclude` write them.

They mean what git means: gitignore(5), and what that leaves open as `dir.c` and `wildmatch.c` of git 2.39 have it.
Python's pathspec knows no POSIX classes, and its regexes go back so often over `*a*a*a*b` that they never end; in a
regex made here no star is tried anew because a later one failed.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import string
from functools import lru_cache
from typing import Callable, Iterable, Iterator, NamedTuple, Sequence

_SPECIAL = frozenset(b"*?[\\")
_CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "blank": " \t",
    "cntrl": "".join(map(chr, (*range(32), 127))),
    "digit": string.digits,
    "graph": string.ascii_letters + string.digits + string.punctuation,
    "lower": string.ascii_lowercase,
    "print": string.ascii_letters + string.digits + string.punctuation + " ",
    "punct": string.punctuation,
    "space": " \t\n\r",
    "upper": string.ascii_uppercase,
    "xdigit": string.hexdigits,
}
# What an ignore file may have: no path is longer than a line, and each wildcard is tried on each name.
_MOST_BYTES = 1 << 20
_MOST_OF_LINE = 4096
_MOST_SPECIAL = 5000
_CLASS = re.compile(rb"\[:([^]]*):]")


class Patterns:
    """The lines of one ignore file, asked about many paths.

    The last line that fits the path itself counts: a folder that is left out is not gone into, so that no line about
    what is below it is ever asked. Nor are all lines tried on all paths, which for the usual `.gitignore` takes longer
    than rewriting: most end in a plain name, and are only looked up by it; and of the others most have no slash, so
    that their answer is kept by name.

    Args:
        lines: Patterns as in a `.gitignore`. What is no pattern is passed over, as git does.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        read = [_line(os.fsencode(line)) for line in lines]
        self._all = [line for line in reversed(read) if line is not None]
        self._names = frozenset(line.name for line in self._all if line.name is not None)
        special = [line for line in self._all if line.name is None]
        self._by_name = [line for line in special if not line.of_path]
        self._by_path = [line for line in special if line.of_path]
        self._known: dict[str, bool] = {}

    def __bool__(self) -> bool:
        return bool(self._all)

    def decide(self, path: str, name: str) -> bool | None:
        """Says what the last pattern that fits has to say.

        Args:
            path: Relative to the folder of the patterns, with forward slashes; a folder's ends in one.
            name: The last part of `path`, with that slash.

        Returns:
            True to leave it out, False to keep it in, None where no pattern fits.
        """
        fits = self._known.get(name)
        if fits is None:
            fits = os.fsencode(name.rstrip("/")) in self._names or _decide(self._by_name, path, name) is not None
            self._known[name] = fits
        if fits or (self._by_path and _decide(self._by_path, path, name) is not None):
            return _decide(self._all, path, name)
        return None

    def decide_deep(self, path: str) -> bool | None:
        """The same for a path of which the folders above have not been asked about."""
        said, at = None, 0
        while at < len(path):
            end = path.find("/", at) + 1 or len(path)
            said = self.decide(path[:end], path[at:end])
            if said:
                break
            at = end
        return said


class _Line(NamedTuple):
    regex: re.Pattern[bytes]
    out: bool  # whether what fits is left out
    of_path: bool  # whether all of the path has to fit; else its last part
    name: bytes | None  # that last part, where it is plain


def _decide(lines: Sequence[_Line], path: str, name: str) -> bool | None:
    whole, last = os.fsencode(path), os.fsencode(name)
    for line in lines:
        if line.regex.fullmatch(whole if line.of_path else last):
            return line.out
    return None


@lru_cache(maxsize=4096)
def _line(text: bytes) -> _Line | None:
    """Reads one line; None where nothing fits it."""
    if text.startswith(b"#"):
        return None
    kept = text.rstrip(b" ")
    if len(kept) < len(text) and (len(kept) - len(kept.rstrip(b"\\"))) % 2:
        kept += b" "  # it is escaped
    out = not kept.startswith(b"!")
    pattern = kept if out else kept[1:]
    folder = pattern.endswith(b"/")
    if folder:
        pattern = pattern[:-1]
    of_path = b"/" in pattern
    try:
        segments = list(_segments(pattern[1:] if pattern.startswith(b"/") else pattern))
    except ValueError:
        return None
    if segments == [[b""]]:
        return None
    last = pattern.rpartition(b"/")[2]
    plain = _SPECIAL.isdisjoint(last) and b"]" not in last  # of a bracket that begins before the slash
    regex = _Regexes().of_path(segments, deep=of_path) + (b"/" if folder else b"/?")
    return _Line(re.compile(regex, re.DOTALL), out, of_path, last if plain else None)


# A segment: regexes of single characters between its stars. [b"a", b"b"] is a*b, and [b"", b"", b""] is **.
_Segment = list[bytes]


def _segments(pattern: bytes) -> Iterator[_Segment]:
    """Splits a pattern at its slashes, and each part at its stars; ValueError where nothing fits it."""
    segment, at = [b""], 0
    while at < len(pattern):
        sign = pattern[at : at + 1]
        at += 1
        if sign == b"*":
            segment.append(b"")
        elif sign == b"/":
            yield segment
            segment = [b""]
        elif sign == b"?":
            segment[-1] += b"[^/]"
        elif sign == b"[":
            members, at = _bracket(pattern, at)
            segment[-1] += b"[%s]" % b"".join(b"\\x%02x" % member for member in sorted(members)) if members else b"(?!)"
        else:
            if sign == b"\\":
                sign = pattern[at : at + 1]
                at += 1
                if not sign:
                    raise ValueError("it doesn't end")
            segment[-1] += re.escape(sign)
    yield segment


def _bracket(pattern: bytes, at: int) -> tuple[set[int], int]:
    """Reads [...] from behind its [; returns the bytes that it stands for, and where it ends."""

    def character() -> int:
        nonlocal at
        if at >= len(pattern):
            raise ValueError("it doesn't end")
        at += 1
        return pattern[at - 1]

    def member() -> int:
        one = character()
        return character() if one == ord("\\") else one

    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    start = at  # a ] that stands there is one that is meant
    members: set[int] = set()
    before: int | None = None  # what a range would begin with
    while pattern[at : at + 1] != b"]" or at == start:
        named = _CLASS.match(pattern, at)
        if named is not None:
            members |= _members(named.group(1))
            at, before = named.end(), None
        elif before is not None and pattern[at : at + 1] == b"-" and pattern[at + 1 : at + 2] != b"]":
            at += 1
            members.update(range(before, member() + 1))
            before = None
        else:
            before = member()
            members.add(before)
    return (set(range(256)) - members if negated else members) - {ord("/")}, at + 1


def _members(name: bytes) -> set[int]:
    if name.decode("latin-1") not in _CLASSES:
        raise ValueError("there is no such class")
    return set(_CLASSES[name.decode("latin-1")].encode("ascii"))


class _Regexes:
    """Makes the regex of one pattern.

    What is between two stars is best taken where it comes first, whatever follows. So each is found once: (?=(…))(?P=…)
    is what Python 3.11 writes as (?>…), and keeps what it found.
    """

    def __init__(self) -> None:
        self._count = 0

    def of_path(self, segments: Sequence[_Segment], *, deep: bool) -> bytes:
        """The regex of a pattern.

        Args:
            segments: What is between its slashes.
            deep: Whether ** stands for folders; in a pattern without a slash it is *.
        """
        runs: list[list[bytes]] = [[]]  # of segments, between one ** and the next
        for segment in segments:
            if deep and len(segment) > 2 and not any(segment):
                runs.append([])
            else:
                runs[-1].append(self._of_segment(segment))
        first, *rest = runs
        if not rest:
            return b"/".join(first)
        regex = b"".join(segment + b"/" for segment in first)
        for run in filter(None, rest[:-1]):
            regex += self._once(b"(?:[^/]*/)*?" + b"/".join(run) + b"/")
        return regex + (b"(?:[^/]*/)*" + b"/".join(rest[-1]) if rest[-1] else b".+")

    def _of_segment(self, segment: _Segment) -> bytes:
        first, *rest = segment
        if not rest:
            return first
        if not any(segment):
            return b"[^/]+"
        between = b"".join(self._once(b"[^/]*?" + part) for part in rest[:-1] if part)
        return first + between + b"[^/]*" + rest[-1]

    def _once(self, regex: bytes) -> bytes:
        self._count += 1
        return b"(?=(?P<_%d>%s))(?P=_%d)" % (self._count, regex, self._count)


@lru_cache(maxsize=256)  # repositories side by side tend to have the same ones
def _patterns(text: bytes) -> Patterns:
    lines = text[3:] if text.startswith(b"\xef\xbb\xbf") else text
    return Patterns(os.fsdecode(line[:-1] if line.endswith(b"\r") else line) for line in lines.split(b"\n"))


class Unfollowed(NamedTuple):
    """An ignore file that is not followed, or not all of it.

    Attributes:
        path: The file.
        why: What it is, as it goes behind the path.
    """

    path: str
    why: str


def read_patterns(path: str, tell: Callable[[Unfollowed], None] = lambda one: None) -> Patterns | None:
    """Reads an ignore file; None where there is none, or none that can be followed, or it has no pattern.

    Args:
        path: The file; of a symbolic link, what it leads to.
        tell: Called with what is there and isn't followed.
    """
    try:
        # Without waiting for somebody who writes, should it be a pipe.
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR):
            tell(Unfollowed(path, f"can't be read ({error.strerror}): what it names is looked at"))
        return None
    try:
        mode = os.fstat(file).st_mode
        if stat.S_ISDIR(mode):  # as git has it
            return None
        if not stat.S_ISREG(mode):
            tell(Unfollowed(path, "is not a file: what it would name is looked at"))
            return None
        text = os.read(file, _MOST_BYTES + 1)
    except OSError as error:
        tell(Unfollowed(path, f"can't be read ({error.strerror}): what it names is looked at"))
        return None
    finally:
        os.close(file)
    if len(text) > _MOST_BYTES:
        tell(Unfollowed(path, f"is larger than {_MOST_BYTES >> 20} MiB: what it names is looked at"))
        return None
    lines = text.split(b"\n")
    if max(map(len, lines)) > _MOST_OF_LINE:
        tell(Unfollowed(path, f"has lines of more than {_MOST_OF_LINE:,} bytes, which are not followed"))
        text = b"\n".join(b"" if len(line) > _MOST_OF_LINE else line for line in lines)
    if sum(not _SPECIAL.isdisjoint(line) for line in lines) > _MOST_SPECIAL:
        tell(Unfollowed(path, f"has more than {_MOST_SPECIAL:,} patterns with wildcards: what it names is looked at"))
        return None
    return _patterns(text) or None
