"""Temporary files beside those that are rewritten: their names, their making, and what to do with old ones."""

from __future__ import annotations

import os
import re
from itertools import count

try:
    import fcntl
except ImportError:  # Windows, where an open file can't be removed anyway
    fcntl = None  # type: ignore[assignment]

# Neither the folder walk nor git's `*.py` takes it for source. The number is its writer's process.
_NAME = re.compile(r"\.tf1mem-(\d+)-\d+\.tmp")


def is_temporary(name: str) -> bool:
    """Whether a file of this name is one of those that are made here."""
    return name.startswith(".tf1mem-") and _NAME.fullmatch(name) is not None


def new_name(folder: str, process: int) -> str:
    """A name for a temporary file of a process that nothing in the folder has."""
    paths = (os.path.join(folder, f".tf1mem-{process}-{number}.tmp") for number in count())
    return next(path for path in paths if not os.path.lexists(path))


def create(folder: str, process: int) -> tuple[int, str]:
    """Makes a temporary file that nobody but its owner can read, and holds a lock on it while it is open.

    The lock ends with the process, however that ends, so another run can tell a file that was left behind from one
    that is being written, on other machines and in other containers too.

    Args:
        folder: Where it is made.
        process: The process that writes it.

    Returns:
        The file, open for writing, and its path.

    Raises:
        OSError: It could not be made.
    """
    while True:
        path = new_name(folder, process)
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        except FileExistsError:
            continue
        if _lock(file) is not False and os.fstat(file).st_nlink > 0:
            return file, path
        os.close(file)  # another run has just taken it for an old one


def remove_old(path: str) -> bool:
    """Removes a temporary file, unless its writer lives.

    Args:
        path: What `is_temporary` takes for one.

    Returns:
        Whether it is gone.
    """
    try:
        file = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        # Where the file system knows no locks, it is left: nothing ever takes it for source.
        if fcntl is not None and _lock(file) is not True:
            return False
        os.unlink(path)
    except OSError:
        return False
    finally:
        os.close(file)
    return True


def remove_those_of(process: int, folder: str) -> None:
    """Removes what a process that has ended left in a folder."""
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
    """Whether the file could be locked; None where the file system knows no locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
