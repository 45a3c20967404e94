"""SHA-256 of a program's files, of its data, and of recordings, so that a reader can repeat a comparison."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any, Iterable

from tf1mem.verifying.places import Place, data_files, files_of

# At most this many files of a kind are hashed, and data of at most this many bytes.
_MOST = 500
_MOST_BYTES = 1 << 30


def hashes(place: Place, other: Place, folder: Path | None, recording: str | None) -> dict[str, Any]:
    """Returns the certificate's hashes.

    Args:
        place: The old side's files.
        other: The new side's files.
        folder: The copy of `place` in which the program ran, or None.
        recording: The file with the old side's recording, or None if the old side ran here.
    """
    programs = sorted({path for root in {place.root, other.root} for path in files_of(root) if path.endswith(".py")})
    data, left_out = _bounded(data_files(place, folder))
    return {
        "files": _by_name(programs[:_MOST], place.root),
        "data": _by_name(data, place.root),
        "data_left_out": left_out,
        "old_file": "" if recording is None else sha256(Path(recording)),
    }


def _bounded(paths: Iterable[str]) -> tuple[list[str], int]:
    """Returns the paths that are hashed, and the number of the others."""
    kept: list[str] = []
    size = left_out = 0
    for path in paths:
        length = os.path.getsize(path)
        if len(kept) == _MOST or size + length > _MOST_BYTES:
            left_out += 1
        else:
            kept.append(path)
            size += length
    return kept, left_out


def _by_name(paths: Iterable[str], root: str) -> dict[str, str]:
    return {os.path.relpath(path, root): sha256(Path(path)) for path in paths}


def sha256(path: Path) -> str:
    """Returns the SHA-256 of a file as hexadecimal digits; "" if it can't be read."""
    total = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            for part in iter(lambda: file.read(1 << 20), b""):
                total.update(part)
    except OSError:
        return ""
    return total.hexdigest()
