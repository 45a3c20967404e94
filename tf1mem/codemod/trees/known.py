"""Remembers the results of files, so that a second run on an unchanged tree only reads them.

A file is known by a digest of its content. Of a file with nothing to change and nothing to say, a list keeps the digest
alone; of others, their changes and remarks are kept. Both belong to one set of options; see `cache`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tf1mem.codemod.findings import UNREADABLE
from tf1mem.codemod.results import Change, Edit, Remark
from tf1mem.codemod.trees import cache
from tf1mem.codemod.trees.cache import DIGEST_BYTES
from tf1mem.codemod.trees.outcomes import Outcome

_MOST_DIGESTS = 1 << 18  # 4 MiB
# The parts of tf1mem that decide about a file.
ROOMS = ("codemod", "era", "machine", "names", "notebooks", "settings")


class KnownResults(cache.Rows):
    """Changes and remarks by digest, each a row: changes, remarks, the number of TF1 names, the names supplied."""

    def add(self, digest: bytes, outcome: Outcome) -> None:
        """Adds a file's outcome, unless another run may find something else, after a time limit for example.

        Args:
            digest: The digest of the file's content, as it was before.
            outcome: The outcome.
        """
        is_final = not (outcome.written or outcome.passed_over or outcome.problem)
        if self.path and is_final and all(remark.code != UNREADABLE for remark in outcome.remarks):
            changes = [
                [*_place(change), [[edit.start, edit.end, edit.text.decode("latin-1")] for edit in change.edits]]
                for change in outcome.changes
            ]
            remarks = [[*_place(remark), remark.remedy] for remark in outcome.remarks]
            row = [changes, remarks, outcome.tf1_names, [*outcome.supplied]]
            if self.rows.get(digest.hex()) != row:
                self.new[digest.hex()] = row

    @staticmethod
    def is_row(row: object) -> bool:
        """Returns True if a row has this class's form, at its outside."""
        return isinstance(row, list) and list(map(type, row)) == [list, list, int, list]


def _place(each: Change | Remark) -> list[Any]:
    return [each.code, each.line, each.column, each.message, each.cell]


def restored(row: list[Any], path: str, kind: str) -> Outcome | None:
    """Returns the outcome of a file by its row, without a diff; None if the row is damaged.

    Args:
        row: The row.
        path: The file's path, as shown to people.
        kind: "python", "notebook", "markdown" or "rst".
    """
    rows_of_changes, rows_of_remarks, tf1_names, supplied = row
    try:
        changes = tuple(
            Change(
                code, line, column, message,
                tuple(Edit(start, end, text.encode("latin-1")) for start, end, text in edits), cell,
            )
            for code, line, column, message, cell, edits in rows_of_changes
        )  # fmt: skip
        remarks = tuple(
            Remark(code, line, column, message, remedy, cell)
            for code, line, column, message, cell, remedy in rows_of_remarks
        )
    except (AttributeError, TypeError, ValueError):
        return None
    return Outcome(path, kind, changes, remarks, tf1_names, tuple(supplied))


@dataclass
class KnownFiles:
    """The files that are known for one set of options.

    Attributes:
        path: The file of the clean files' list; "" keeps nothing.
        digests: Digests of files that are known to be clean.
        new: Digests that the list's file doesn't have yet.
        results: The changes and remarks of other files.
    """

    path: str = ""
    digests: frozenset[bytes] = frozenset()
    new: set[bytes] = field(default_factory=set)
    results: KnownResults = field(default_factory=KnownResults)

    def add(self, digest: bytes, outcome: Outcome | None) -> None:
        """Adds a file by its digest; its outcome is None if it is clean."""
        if outcome is None:
            self.new.add(digest)
        else:
            self.results.add(digest, outcome)

    def save(self) -> None:
        """Adds what is new to the files of the cache; a cache that can't be written is left as it is."""
        self.results.save()
        if not self.path or not self.new:
            return
        # Another process may have added to it meanwhile.
        stored = _read(self.path) | self.digests
        digests = self.new | stored if len(stored) + len(self.new) <= _MOST_DIGESTS else self.new
        cache.write(self.path, b"".join(sorted(digests)[:_MOST_DIGESTS]))


def known_files(options: object) -> KnownFiles:
    """Returns the files that are known.

    Args:
        options: The options that decide about a file, beside its content; their `repr` identifies them.
    """
    path, results = (cache.path_of(folder, ROOMS, options) for folder in ("codemod", "codemod_results"))
    return KnownFiles(path, _read(path), results=KnownResults.read(results))


def _read(path: str) -> frozenset[bytes]:
    content = cache.read(path, _MOST_DIGESTS * DIGEST_BYTES)
    whole = len(content) - len(content) % DIGEST_BYTES
    return frozenset(content[start : start + DIGEST_BYTES] for start in range(0, whole, DIGEST_BYTES))
