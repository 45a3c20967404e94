"""Keeps what an earlier run found about files in the user's cache, where it may be removed at any time.

A file of the cache belongs to one set of options and to one version of tf1mem and of the parser, since another might
find something else.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Dict, Iterator, List, Sequence, TypeVar

import tree_sitter
import tree_sitter_python

import tf1mem
from tf1mem.machine.folders import user_cache

DIGEST_BYTES = 16
_MOST_FILES = 32
_MOST_BYTES = 1 << 28  # of all files in a folder
_MOST_ROW_BYTES = 1 << 26

Row = List[Any]


def digest_of(source: bytes, kind: str) -> bytes:
    """Returns the digest of a source.

    Args:
        source: The source's bytes.
        kind: "python", "notebook", "markdown" or "rst".
    """
    return blake2b(source, digest_size=DIGEST_BYTES, person=kind.encode()).digest()


def path_of(folder: str, rooms: Sequence[str], options: object) -> str:
    """Returns the path of a file in the cache; "" if the user has no cache.

    Args:
        folder: The folder in tf1mem's cache.
        rooms: The parts of tf1mem that decide about a source.
        options: The options that decide about it, too; their `repr` identifies them.
    """
    cache = user_cache()
    return os.path.join(cache, folder, _fingerprint(rooms, options)) if os.path.isabs(cache) else ""


def read(path: str, most_bytes: int) -> bytes:
    """Returns the content of a file in the cache; nothing if it isn't there, is another user's, or is too large."""
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            is_usable = status.st_uid == os.geteuid() and status.st_size <= most_bytes
            return file.read() if is_usable else b""
    except (OSError, AttributeError):  # AttributeError: no geteuid, on Windows
        return b""


def write(path: str, content: bytes) -> None:
    """Writes a file of the cache, and removes the oldest ones; a cache that can't be written is left as it is."""
    folder, name = os.path.split(path)
    with suppress(OSError):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=name, dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, path)
        except BaseException:  # Ctrl-C, too
            os.unlink(temporary)
            raise
        _remove_oldest(folder)


@dataclass
class Rows:
    """Rows of JSON by the digest of a file's content, in a file of the cache.

    Attributes:
        path: The file of the cache; "" keeps nothing.
        rows: The rows, by digest in hexadecimal digits.
        new: Rows that the file doesn't have yet.
    """

    path: str = ""
    rows: Dict[str, Row] = field(default_factory=dict)
    new: Dict[str, Row] = field(default_factory=dict)

    @staticmethod
    def is_row(row: object) -> bool:
        """Returns True if a row has this class's form."""
        return isinstance(row, list)

    @classmethod
    def read(cls: type[_OfRows], path: str) -> _OfRows:
        """Returns the rows of a file of the cache; none if one of them has another form."""
        return cls(path, cls._rows(path))

    def save(self) -> None:
        """Adds the new rows to the file of the cache; a cache that can't be written is left as it is."""
        if not self.path or not self.new:
            return
        # Another process may have added to it meanwhile.
        content = json.dumps({**self._rows(self.path), **self.new}).encode()
        if len(content) > _MOST_ROW_BYTES:
            content = json.dumps(self.new).encode()
        write(self.path, content)

    @classmethod
    def _rows(cls, path: str) -> Dict[str, Row]:
        try:
            rows = json.loads(read(path, _MOST_ROW_BYTES) or b"{}")
        except ValueError:
            return {}
        return rows if isinstance(rows, dict) and all(map(cls.is_row, rows.values())) else {}


_OfRows = TypeVar("_OfRows", bound=Rows)


def _fingerprint(rooms: Sequence[str], options: object) -> str:
    """Returns a name for the options, this tf1mem and its parser: a development install changes without a version."""
    root = os.path.dirname(tf1mem.__file__)
    folders = [os.path.join(root, room) for room in rooms]
    folders += [os.path.dirname(str(module.__file__)) for module in (tree_sitter, tree_sitter_python)]
    parts = [tf1mem.__version__, sys.version, repr(options), *(each for folder in folders for each in _states(folder))]
    return blake2b("\n".join(parts).encode("utf-8", "surrogateescape"), digest_size=DIGEST_BYTES).hexdigest()


def _states(folder: str) -> Iterator[str]:
    """Yields the path, the size and the time of change of each file below a folder."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _states(entry.path)
            else:
                status = entry.stat()
                yield f"{entry.path} {status.st_size} {status.st_mtime_ns}"


def _remove_oldest(folder: str) -> None:
    with os.scandir(folder) as entries:
        files = sorted(entries, key=lambda entry: entry.stat().st_mtime_ns)
    total = sum(entry.stat().st_size for entry in files)
    for number, entry in enumerate(files[:-1], 1):
        if number > len(files) - _MOST_FILES and total <= _MOST_BYTES:
            break
        total -= entry.stat().st_size
        os.unlink(entry.path)
