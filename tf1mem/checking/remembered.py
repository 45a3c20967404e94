"""Remembers the summaries of files, by a digest of their content, so that a second check needn't look into them.

A file of the cache belongs to one Python with its packages: its name depends on when their folders changed.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Dict, List

from tf1mem.checking.file_findings import FileFinding, Import, Read
from tf1mem.checking.here import Here
from tf1mem.checking.kinds import kinds
from tf1mem.codemod.trees import cache

# A summary as JSON, a list of five: `why_program`, `moves_path`, `imports`, `findings` and `is_test` of `Read`.
Row = List[Any]

_MOST_BYTES = 1 << 26
# The folders of tf1mem whose code decides what a summary contains.
ROOMS = ("checking", "codemod", "doctor", "era", "machine", "names", "notebooks", "runner", "settings")
_KINDS = {kind.code: kind for kind in kinds()}


@dataclass
class Remembered:
    """The summaries of files that were read before.

    Attributes:
        path: The file of the cache; "" if nothing is kept.
        rows: The summaries, by digest.
        new: Summaries that the file doesn't have yet.
    """

    path: str = ""
    rows: Dict[str, Row] = field(default_factory=dict)
    new: Dict[str, Row] = field(default_factory=dict)

    def add(self, read: Read) -> None:
        """Adds a file's summary, unless it has no digest; see `Read.digest`."""
        if read.digest and self.path:
            self.new[read.digest] = _row(read)

    def save(self) -> None:
        """Adds the new summaries to the file of the cache; a cache that can't be written is left as it is."""
        if not self.path or not self.new:
            return
        # Another process may have added to it meanwhile.
        content = json.dumps({**_rows(self.path), **self.new}).encode()
        if len(content) > _MOST_BYTES:
            content = json.dumps(self.new).encode()
        cache.write(self.path, content)


def remembered(here: Here) -> Remembered:
    """Returns the summaries that earlier checks against the same Python and packages have left."""
    folders = [*here.path, *filter(None, [here.tensorflow_files])]
    path = cache.path_of("check", ROOMS, (here.python, str(here.tensorflow), [*map(_state, folders)]))
    return Remembered(path, _rows(path))


def restored(row: Row, path: str) -> Read:
    """Returns a file's summary.

    Args:
        row: The row of its digest.
        path: The file's path, as shown to people.
    """
    why_program, moves_path, imports, findings, is_test = row
    return Read(
        path,
        why_program,
        tuple(Import(name, is_sure, tuple(place), by_script) for name, is_sure, place, by_script in imports),
        tuple(FileFinding(_KINDS[code], *others) for code, *others in findings),
        moves_path=moves_path,
        is_test=is_test,
    )


def _row(read: Read) -> Row:
    findings = [(finding.kind.code, *finding[1:]) for finding in read.findings]
    return [read.why_program, read.moves_path, read.imports, findings, read.is_test]


def _rows(path: str) -> Dict[str, Row]:
    try:
        rows = json.loads(cache.read(path, _MOST_BYTES) or b"{}")
    except ValueError:
        return {}
    return rows if isinstance(rows, dict) and all(map(_is_row, rows.values())) else {}


def _is_row(row: object) -> bool:
    return isinstance(row, list) and len(row) == 5 and isinstance(row[2], list) and isinstance(row[3], list)


def _state(path: str) -> tuple[str, int]:
    try:
        return path, os.stat(path).st_mtime_ns
    except OSError:
        return path, 0
