"""The manifest of a folder of compiled libraries: their sizes and hashes, written when they were compiled.

A library that was truncated, emptied or overwritten would crash a process, or leave it without a GPU. So every start
compares the folder with its manifest. A file with the listed size and time counts as unchanged, without being read. If
only the time differs, the file is hashed: the installer of a wheel changes the times of all files. Hashing all
libraries of a wheel takes 3 ms, less than computing the key of compiled ones.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Any

NAME = "manifest.json"


def write(folder: Path) -> None:
    """Writes the manifest of a folder.

    Raises:
        OSError: The folder can't be read or written.
    """
    listed = {path.name: _entry(path) for path in sorted(folder.iterdir()) if path.name != NAME}
    text = json.dumps(listed, indent=1)
    with open(folder / NAME, "w", encoding="utf-8") as file:
        os.chmod(file.fileno(), 0o644)
        file.write(text)


def wrong_with(folder: Path) -> str:
    """Returns what in a folder differs from its manifest, or ""."""
    try:
        listed = folder / NAME
        if not listed.is_file() and os.path.lexists(str(listed)):
            return f"{NAME} isn't a regular file"  # reading a pipe would block
        pairs = json.loads(listed.read_text("utf-8")).items()
        for name, about in pairs:
            wrong = _wrong(folder / name, about)
            if wrong:
                return f"{name} {wrong}"
    except NotADirectoryError:
        return "it is a file"
    except FileNotFoundError:
        return f"it has no {NAME}"
    except (OSError, ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return f"{NAME} can't be read"
    return "" if pairs else f"{NAME} is empty"


def _entry(path: Path) -> dict[str, object]:
    if path.is_symlink():
        return {"link": os.readlink(str(path))}
    status = path.stat()
    return {"bytes": status.st_size, "time": status.st_mtime_ns, "sha256": _sha256(path)}


def _wrong(path: Path, listed: dict[str, Any]) -> str:
    """Returns how a file or link differs from its entry in the manifest, as the end of a sentence; "" if it doesn't."""
    try:
        if "link" in listed:
            return "" if os.readlink(str(path)) == listed["link"] else "is another link"
        status = os.stat(str(path))  # an installer may link a wheel's files
        if not stat.S_ISREG(status.st_mode):
            return "isn't a regular file"
        if status.st_size != listed["bytes"]:
            return "has {:,} bytes, of {:,}".format(status.st_size, listed["bytes"])
        if status.st_mtime_ns != listed["time"] and _sha256(path) != listed["sha256"]:
            return "has different content"
    except OSError as error:
        return "is not there" if isinstance(error, FileNotFoundError) else f"can't be read ({error.strerror})"
    return ""


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
