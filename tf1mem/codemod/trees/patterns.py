"""Reads patterns that leave files out, in the syntax of `.gitignore` and `--exclude`, and applies them to paths.

They have git's meaning: gitignore(5), and for details `dir.c` and `wildmatch.c` of git 2.39. Python's pathspec lacks
POSIX classes, and its regexes backtrack without end on patterns such as `*a*a*a*b`. The regexes made here never retry
an earlier star because a later one failed.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import string
from functools import lru_cache
from typing import Callable, Iterable, Iterator, NamedTuple, Sequence

_SPECIAL = frozenset(b"*?[\\")  # the bytes that have a meaning in a pattern
# POSIX classes, for `[[:alpha:]]` -> their characters.
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
# Limits of an ignore file: its bytes; the bytes of a line, since no path on Linux is longer; and the lines with
# wildcards, since each of them is tried on each name.
_MOST_BYTES = 1 << 20
_MOST_OF_LINE = 4096
_MOST_SPECIAL = 5000
_CLASS = re.compile(rb"\[:([^]]*):]")


class Patterns:
    """The lines of one ignore file, applied to many paths.

    The last line that fits a path decides. The caller doesn't enter a folder that is left out, so lines about its
    content are never tried. Trying all lines on all paths would take longer than rewriting. So a line that ends in a
    plain name is looked up by this name; and the result of a line without a slash is cached by name.

    Args:
        lines: Patterns as in a `.gitignore`. Invalid patterns are skipped, as in git.
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
        """Returns the decision of the last pattern that fits.

        Args:
            path: Path relative to the patterns' folder, with forward slashes; a folder's ends in one.
            name: The last part of `path`, with that slash.

        Returns:
            True to leave it out, False to keep it, None if no pattern fits.
        """
        fits = self._known.get(name)
        if fits is None:
            fits = os.fsencode(name.rstrip("/")) in self._names or _decide(self._by_name, path, name) is not None
            self._known[name] = fits
        if fits or (self._by_path and _decide(self._by_path, path, name) is not None):
            return _decide(self._all, path, name)
        return None

    def decide_deep(self, path: str) -> bool | None:
        """Returns the decision for a path whose parent folders aren't checked yet. If one is left out, so is the path.

        Args:
            path: Path relative to the patterns' folder, with forward slashes; a folder's ends in one.

        Returns:
            True to leave it out, False to keep it, None if no pattern fits.
        """
        decision, at = None, 0
        while at < len(path):
            end = path.find("/", at) + 1 or len(path)
            decision = self.decide(path[:end], path[at:end])
            if decision:
                break
            at = end
        return decision


class _Line(NamedTuple):
    regex: re.Pattern[bytes]
    out: bool  # True if a path that fits is left out
    of_path: bool  # True if the whole path has to fit; else its last part
    name: bytes | None  # the last part, if it is plain


def _decide(lines: Sequence[_Line], path: str, name: str) -> bool | None:
    """Returns the decision of the first of these lines that fits, which is the last in the file; None if none fits."""
    whole, last = os.fsencode(path), os.fsencode(name)
    for line in lines:
        if line.regex.fullmatch(whole if line.of_path else last):
            return line.out
    return None


@lru_cache(maxsize=4096)
def _line(text: bytes) -> _Line | None:
    """Reads one line; returns None if no path can fit it, as for a comment and for an invalid pattern."""
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
    plain = _SPECIAL.isdisjoint(last) and b"]" not in last  # a ] may end a bracket that begins before the slash
    regex = _Regexes().of_path(segments, deep=of_path) + (b"/" if folder else b"/?")
    return _Line(re.compile(regex, re.DOTALL), out, of_path, last if plain else None)


# A segment: the regexes between its stars. [b"a", b"b"] is a*b, and [b"", b"", b""] is **.
_Segment = list[bytes]


def _segments(pattern: bytes) -> Iterator[_Segment]:
    """Splits a pattern at its slashes, and each part at its stars; raises ValueError for an invalid pattern."""
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
    """Reads [...] from just after its [; returns the bytes that it matches, and the offset just after it.

    Raises:
        ValueError: It has no end, or an unknown class.
    """

    def character() -> int:
        nonlocal at
        if at >= len(pattern):
            raise ValueError("it doesn't end")
        at += 1
        return pattern[at - 1]

    def member() -> int:
        sign = character()
        return character() if sign == ord("\\") else sign

    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    start = at  # a ] at this place is a member
    members: set[int] = set()
    before: int | None = None  # the start of a possible range
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
    """Builds the regex of one pattern.

    If a path fits, it also fits with each text between two stars matched at the first possible place, whatever follows.
    So each text is matched only there: (?=(?P<_1>…))(?P=_1) is Python 3.11's (?>…), which keeps its first match.
    """

    def __init__(self) -> None:
        self._count = 0

    def of_path(self, segments: Sequence[_Segment], *, deep: bool) -> bytes:
        """Returns the regex of a pattern.

        Args:
            segments: The parts between its slashes.
            deep: True if ** stands for any number of folders; in a pattern without a slash it means *.
        """
        runs: list[list[bytes]] = [[]]  # segments between one ** and the next
        for segment in segments:
            if deep and len(segment) > 2 and not any(segment):
                runs.append([])
            else:
                runs[-1].append(self._segment_regex(segment))
        first, *later = runs
        if not later:
            return b"/".join(first)
        regex = b"".join(segment + b"/" for segment in first)
        for run in filter(None, later[:-1]):
            regex += self._once(b"(?:[^/]*/)*?" + b"/".join(run) + b"/")
        return regex + (b"(?:[^/]*/)*" + b"/".join(later[-1]) if later[-1] else b".+")

    def _segment_regex(self, segment: _Segment) -> bytes:
        first, *later = segment
        if not later:
            return first
        if not any(segment):
            return b"[^/]+"
        between = b"".join(self._once(b"[^/]*?" + part) for part in later[:-1] if part)
        return first + between + b"[^/]*" + later[-1]

    def _once(self, regex: bytes) -> bytes:
        """Returns a regex that keeps the first match of another one."""
        self._count += 1
        return b"(?=(?P<_%d>%s))(?P=_%d)" % (self._count, regex, self._count)


@lru_cache(maxsize=256)  # neighbouring repositories often have the same file
def _patterns(text: bytes) -> Patterns:
    lines = text[3:] if text.startswith(b"\xef\xbb\xbf") else text
    return Patterns(os.fsdecode(line[:-1] if line.endswith(b"\r") else line) for line in lines.split(b"\n"))


class Unfollowed(NamedTuple):
    """An ignore file that is not followed, or only in part.

    Attributes:
        path: Path of the file.
        why: The reason: a phrase that follows the path.
    """

    path: str
    why: str


def read_patterns(path: str, tell: Callable[[Unfollowed], None] = lambda unfollowed: None) -> Patterns | None:
    """Reads an ignore file; returns None if there is none, if it can't be followed, or if it has no pattern.

    Args:
        path: Path of the file; symbolic links are followed.
        tell: Called for an existing file that isn't followed, or only in part.
    """
    try:
        # Without blocking, in case it is a pipe.
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR):
            tell(Unfollowed(path, f"can't be read ({error.strerror}): it excludes nothing"))
        return None
    try:
        mode = os.fstat(file).st_mode
        if stat.S_ISDIR(mode):  # as in git
            return None
        if not stat.S_ISREG(mode):
            tell(Unfollowed(path, "is not a file: it excludes nothing"))
            return None
        text = os.read(file, _MOST_BYTES + 1)
    except OSError as error:
        tell(Unfollowed(path, f"can't be read ({error.strerror}): it excludes nothing"))
        return None
    finally:
        os.close(file)
    if len(text) > _MOST_BYTES:
        tell(Unfollowed(path, f"is larger than {_MOST_BYTES >> 20} MiB: it excludes nothing"))
        return None
    lines = text.split(b"\n")
    if max(map(len, lines)) > _MOST_OF_LINE:
        tell(Unfollowed(path, f"has lines of more than {_MOST_OF_LINE:,} bytes, which are not followed"))
        text = b"\n".join(b"" if len(line) > _MOST_OF_LINE else line for line in lines)
    if sum(not _SPECIAL.isdisjoint(line) for line in lines) > _MOST_SPECIAL:
        tell(Unfollowed(path, f"has more than {_MOST_SPECIAL:,} patterns with wildcards: it excludes nothing"))
        return None
    return _patterns(text) or None
