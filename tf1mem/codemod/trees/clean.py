"""Remembers the files in which the codemod has nothing to change and nothing to say, so that it needn't look again.

A file is known by a digest of its content. A list of digests belongs to one set of options; see `cache`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tf1mem.codemod.trees import cache
from tf1mem.codemod.trees.cache import DIGEST_BYTES

_MOST_DIGESTS = 1 << 18  # 4 MiB
# The parts of tf1mem that decide about a file.
ROOMS = ("codemod", "era", "machine", "names", "notebooks", "settings")


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
        cache.write(self.path, b"".join(sorted(digests)[:_MOST_DIGESTS]))


def clean_files(options: object) -> CleanFiles:
    """Returns the files that are known to be clean.

    Args:
        options: The options that decide about a file, beside its content; their `repr` identifies them.
    """
    path = cache.path_of("codemod", ROOMS, options)
    return CleanFiles(path, _read(path))


def _read(path: str) -> frozenset[bytes]:
    content = cache.read(path, _MOST_DIGESTS * DIGEST_BYTES)
    whole = len(content) - len(content) % DIGEST_BYTES
    return frozenset(content[start : start + DIGEST_BYTES] for start in range(0, whole, DIGEST_BYTES))
