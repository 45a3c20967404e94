"""Remembers the summaries of files, by a digest of their content, so that a second check needn't look into them.

A file of the cache belongs to one Python with its packages: its name depends on when their folders changed.
"""

from __future__ import annotations

import os

from tf1mem.checking.file_findings import FileFinding, FileSummary, Import
from tf1mem.checking.here import Here
from tf1mem.checking.kinds import kinds
from tf1mem.codemod.trees import cache
from tf1mem.codemod.trees.cache import Row

# The folders of tf1mem whose code decides what a summary contains.
ROOMS = ("checking", "codemod", "doctor", "era", "machine", "names", "notebooks", "runner", "settings")
_KINDS = {kind.code: kind for kind in kinds()}


class Remembered(cache.Rows):
    """The summaries of files that were read before, by digest.

    A row is a list of `why_program`, `moves_path`, `imports`, `findings` and `is_test` of `FileSummary`.
    """

    def add(self, read: FileSummary) -> None:
        """Adds a file's summary, unless it has no digest; see `FileSummary.digest`."""
        if read.digest and self.path:
            self.new[read.digest] = _row(read)

    @staticmethod
    def is_row(row: object) -> bool:
        """Returns True for a list of five with two lists at their places; the elements of these aren't checked."""
        return isinstance(row, list) and len(row) == 5 and isinstance(row[2], list) and isinstance(row[3], list)


def remembered(here: Here) -> Remembered:
    """Returns the summaries that earlier checks have stored, for the same Python, TensorFlow and packages."""
    folders = [*here.path, *filter(None, [here.tensorflow_files])]
    path = cache.path_of("check", ROOMS, (here.python, str(here.tensorflow), [*map(_state, folders)]))
    return Remembered.read(path)


def restored(row: Row, path: str) -> FileSummary:
    """Returns a file's summary from its row.

    Args:
        row: The row of its digest.
        path: The file's path, as shown to people.
    """
    why_program, moves_path, imports, findings, is_test = row
    return FileSummary(
        path,
        why_program,
        tuple(Import(name, is_sure, tuple(place), by_script) for name, is_sure, place, by_script in imports),
        tuple(FileFinding(_KINDS[code], *fields) for code, *fields in findings),
        moves_path=moves_path,
        is_test=is_test,
    )


def _row(read: FileSummary) -> Row:
    findings = [(finding.kind.code, *finding[1:]) for finding in read.findings]
    return [read.why_program, read.moves_path, read.imports, findings, read.is_test]


def _state(path: str) -> tuple[str, int]:
    """Returns a folder and the time of its last change in nanoseconds; 0 if there is no such folder."""
    try:
        return path, os.stat(path).st_mtime_ns
    except OSError:
        return path, 0
