"""Patterns that leave files out, as `.gitignore` and `--exclude` write them."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Iterable, Sequence, Tuple

from pathspec import GitIgnoreSpec
from pathspec.pattern import RegexPattern

# In one folder the later file wins, as it does in ripgrep and ruff, which know `.ignore` too.
IGNORE_FILES = (".gitignore", ".ignore")

_SPECIAL = frozenset("*?[\\")


class Patterns:
    """The lines of one ignore file, asked about many paths.

    pathspec knows what each line means; which of them counts is decided here, as git does on its way down: the last
    that fits the path itself, where pathspec also counts those that fit a folder above it. Nor are all patterns tried
    on all paths, which for the usual `.gitignore` takes longer than rewriting: most end in a plain name, and are only
    looked up by it; and of the others most have no slash, so that their answer is kept by name.

    Args:
        lines: Patterns as in a `.gitignore`.

    Raises:
        ValueError: A line is not a pattern.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        kept = [line for line in lines if line.strip() and not line.startswith("#")]
        self._all = _last_first(kept)
        self._names = frozenset(_last_part(line) for line in kept)
        special = [line for line in kept if not _SPECIAL.isdisjoint(_last_part(line))]
        self._by_name = _last_first([line for line in special if not _sees_folders(line)])
        self._by_path = _last_first([line for line in special if _sees_folders(line)])
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
            fits = name.rstrip("/") in self._names or _decide(self._by_name, name) is not None
            self._known[name] = fits
        if fits or (self._by_path and _decide(self._by_path, path) is not None):
            return _decide(self._all, path)
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


_Line = Tuple["re.Pattern[str]", bool]  # what fits; whether that is left out


def _decide(lines: Sequence[_Line], path: str) -> bool | None:
    for regex, include in lines:
        match = regex.match(path)
        if match and match.end() == len(path):
            return include
    return None


def _last_first(lines: Sequence[str]) -> list[_Line]:
    return [line for line in map(_line, reversed(lines)) if line is not None]


@lru_cache(maxsize=4096)
def _line(line: str) -> _Line | None:
    folders_only = line.rstrip().endswith("/")
    bare = line.rstrip().rstrip("/") if folders_only else line
    if not bare.strip("! "):
        return None
    (pattern,) = GitIgnoreSpec.from_lines([bare]).patterns
    assert isinstance(pattern, RegexPattern)
    if pattern.include is None or pattern.regex is None:
        return None
    text: str = pattern.regex.pattern
    if not pattern.regex.groups:  # all that is below: the regex needn't go on to the end
        text = ".+" if text == "." else text + ".+"
    if folders_only:
        text = "(?=.*/$)" + text
    return re.compile(text, re.DOTALL), pattern.include


def _sees_folders(line: str) -> bool:
    return "/" in line.rstrip().rstrip("/")


def _last_part(line: str) -> str:
    return line.lstrip("!").rstrip().rstrip("/").rpartition("/")[2]


@lru_cache(maxsize=256)  # repositories side by side tend to have the same ones
def _patterns(text: bytes) -> Patterns:
    lines = []
    for line in text.decode("utf-8-sig", "replace").splitlines():
        try:
            _line(line)
        except ValueError:  # git passes over what is not a pattern
            continue
        lines.append(line)
    return Patterns(lines)


def read_patterns(folder: str, names: Sequence[str] = IGNORE_FILES) -> Patterns | None:
    """Reads a folder's own ignore files; None where there are none, or none that can be read."""
    text = b""
    for name in names:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                text += file.read() + b"\n"
        except OSError:
            continue
    return (_patterns(text) or None) if text else None
