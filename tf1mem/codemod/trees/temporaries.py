"""Temporary files beside rewritten ones: their names, creation, and removal."""

from __future__ import annotations

import os
import re
from itertools import count

try:
    import fcntl
except ImportError:  # Windows, where an open file can't be removed anyway
    fcntl = None  # type: ignore[assignment]

# A name that a search for sources, by folder or by git's `*.py`, doesn't match. Its first number is the writing
# process's.
_NAME = re.compile(r"\.tf1mem-(\d+)-\d+\.tmp")


def is_temporary(name: str) -> bool:
    """Returns True if a file name is that of a temporary file of this module."""
    return name.startswith(".tf1mem-") and _NAME.fullmatch(name) is not None


def new_name(folder: str, process: int) -> str:
    """Returns an unused name for a process's temporary file in a folder."""
    paths = (os.path.join(folder, f".tf1mem-{process}-{number}.tmp") for number in count())
    return next(path for path in paths if not os.path.lexists(path))


def create(folder: str, process: int) -> tuple[int, str]:
    """Creates a temporary file that only its owner can read, and locks it while it is open.

    The lock ends with the process, however that ends, so another run can distinguish an abandoned file from one that is
    being written, also on other machines and in other containers.

    Args:
        folder: Folder of the file.
        process: Number of the process that writes it.

    Returns:
        The open file descriptor, for writing, and the path.

    Raises:
        OSError: The file could not be created.
    """
    while True:
        path = new_name(folder, process)
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        except FileExistsError:
            continue
        if _lock(file) is not False and os.fstat(file).st_nlink > 0:
            return file, path
        os.close(file)  # another run has just taken it for an abandoned one


def remove_old(path: str) -> bool:
    """Removes a temporary file, unless its writer is alive.

    Args:
        path: Path of a file with a name that `is_temporary` accepts.

    Returns:
        True if it is gone.
    """
    try:
        file = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        # If the file system has no locks, it stays: nothing ever takes it for source.
        if fcntl is not None and _lock(file) is not True:
            return False
        os.unlink(path)
    except OSError:
        return False
    finally:
        os.close(file)
    return True


def remove_those_of(process: int, folder: str) -> None:
    """Removes the files that an ended process left in a folder."""
    try:
        names = os.listdir(folder or os.curdir)
    except OSError:
        return
    for name in names:
        match = _NAME.fullmatch(name)
        if match and int(match.group(1)) == process:
            try:
                os.unlink(os.path.join(folder, name))
            except OSError:
                continue


def _lock(file: int) -> bool | None:
    """Returns True if the file could be locked; None if the file system has no locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
