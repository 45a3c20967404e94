"""Remembers the files in which the codemod has nothing to change and nothing to say, so that it needn't look again.

A file is known by a digest of its content. A list of digests belongs to one set of options and to one version of
tf1mem and of the parser, since another might find something. It is in the user's cache, and may be removed at any time.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Iterator

import tree_sitter
import tree_sitter_python

import tf1mem
from tf1mem.machine.folders import user_cache

_DIGEST_BYTES = 16
_MOST_DIGESTS = 1 << 18  # 4 MiB
_MOST_LISTS = 32
# The parts of tf1mem that decide about a file.
_PARTS = ("codemod", "machine", "notebooks", "settings")


def digest_of(source: bytes, kind: str) -> bytes:
    """Returns the digest of a source.

    Args:
        source: The source's bytes.
        kind: "python", "notebook", "markdown" or "rst".
    """
    return blake2b(source, digest_size=_DIGEST_BYTES, person=kind.encode()).digest()


@dataclass
class CleanFiles:
    """The clean files of one set of options.

    Attributes:
        path: The list's file; "" keeps nothing.
        digests: Digests of files that are known to be clean.
        new: Digests that the list's file doesn't have yet.
    """

    path: str = ""
    digests: frozenset[bytes] = frozenset()
    new: set[bytes] = field(default_factory=set)

    def save(self) -> None:
        """Adds the new digests to the list's file; a cache that can't be written is left as it is."""
        if not self.path or not self.new:
            return
        # Another process may have added to it meanwhile.
        known = _read(self.path) | self.digests
        digests = self.new | known if len(known) + len(self.new) <= _MOST_DIGESTS else self.new
        folder, name = os.path.split(self.path)
        with suppress(OSError):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=name, dir=folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(b"".join(sorted(digests)[:_MOST_DIGESTS]))
                os.replace(temporary, self.path)
            except OSError:
                os.unlink(temporary)
                raise
            _remove_oldest(folder)


def clean_files(options: object) -> CleanFiles:
    """Returns the files that are known to be clean.

    Args:
        options: The options that decide about a file, beside its content; their `repr` identifies them.
    """
    cache = user_cache()
    if not os.path.isabs(cache):
        return CleanFiles()
    path = os.path.join(cache, "codemod", _fingerprint(options))
    return CleanFiles(path, _read(path))


def _read(path: str) -> frozenset[bytes]:
    """Returns the digests in a list's file; none if it isn't there, is another user's, or is too large."""
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid() or status.st_size > _MOST_DIGESTS * _DIGEST_BYTES:
                return frozenset()
            content = file.read()
    except (OSError, AttributeError):  # AttributeError: no geteuid, on Windows
        return frozenset()
    whole = len(content) - len(content) % _DIGEST_BYTES
    return frozenset(content[start : start + _DIGEST_BYTES] for start in range(0, whole, _DIGEST_BYTES))


def _fingerprint(options: object) -> str:
    """Returns a name for the options, this tf1mem and its parser: a development install changes without a version."""
    root = os.path.dirname(tf1mem.__file__)
    folders = [os.path.join(root, part) for part in _PARTS]
    folders += [os.path.dirname(str(module.__file__)) for module in (tree_sitter, tree_sitter_python)]
    parts = [tf1mem.__version__, sys.version, repr(options), *(each for folder in folders for each in _states(folder))]
    return blake2b("\n".join(parts).encode("utf-8", "surrogateescape"), digest_size=_DIGEST_BYTES).hexdigest()


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
        lists = sorted(entries, key=lambda entry: entry.stat().st_mtime_ns)
    for entry in lists[:-_MOST_LISTS]:
        os.unlink(entry.path)
