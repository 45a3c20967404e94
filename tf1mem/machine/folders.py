"""Temporary folders that are removed even if their process was killed: the next process to create one sweeps up.

Each folder contains a file that its process, and every process forked from it, keeps locked while it lives. A folder
whose file isn't locked has no owner any more.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator

_HELD = ".held"
# A folder is created a moment before it is locked. On a file system without locks, only its age counts.
_YOUNG_S, _LONG_AGO_S = 10, 24 * 3600


def user_cache() -> str:
    """Returns tf1mem's folder in the user's cache, by the XDG Base Directory Specification; it may not exist.

    The path isn't absolute if there is neither HOME nor an entry in the password database.
    """
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    usual = xdg if os.path.isabs(xdg) else os.path.expanduser("~/.cache")  # a relative path is ignored
    return os.path.join(usual, "tf1mem")


@contextmanager
def temporary(prefix: str, parent: str | None = None) -> Iterator[Path]:
    """Creates a folder that exists as long as the context, after removing folders of this prefix without an owner.

    Args:
        prefix: The start of the folder's name.
        parent: The folder to create it in; by default the folder for temporary files.

    Raises:
        OSError: The folder can't be created.
    """
    sweep(prefix, parent)
    owner = os.getpid()
    folder = tempfile.mkdtemp(prefix=prefix, dir=parent)
    try:
        held = os.open(os.path.join(folder, _HELD), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:  # a full disk may have room for the folder but not for a file
        os.rmdir(folder)
        raise
    try:
        _lock(held, wait=True)  # another process may be sweeping, and hold the lock for a moment
        yield Path(folder)
    finally:
        if os.getpid() == owner:  # not in a process forked inside the context
            os.close(held)
            _remove(folder)


def sweep(prefix: str, parent: str | None = None) -> None:
    """Removes the user's own folders of this prefix whose process was killed.

    Args:
        prefix: The start of the folders' names.
        parent: The folder that contains them; by default the folder for temporary files.
    """
    try:
        with os.scandir(parent or tempfile.gettempdir()) as entries:
            abandoned = [entry.path for entry in entries if entry.name.startswith(prefix) and _is_nobodys(entry.path)]
    except OSError:
        return
    for path in abandoned:
        _remove(path)


def _remove(folder: str) -> None:
    """Removes a folder, its lock file last, so that a later sweep recognises it if this process is killed meanwhile.

    Children of a killed process may still write there; then the lock file stays, too.
    """
    with suppress(OSError):
        for name in set(os.listdir(folder)) - {_HELD}:
            path = os.path.join(folder, name)
            with suppress(OSError):
                os.unlink(path)
            shutil.rmtree(path, ignore_errors=True)
        if set(os.listdir(folder)) <= {_HELD}:
            shutil.rmtree(folder, ignore_errors=True)


def _is_nobodys(path: str) -> bool:
    """Returns True for a folder of this user's that no living process holds."""
    try:
        status = os.lstat(path)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return False
    except (OSError, AttributeError):  # removed meanwhile; AttributeError: on Windows
        return False
    try:
        held = os.open(os.path.join(path, _HELD), os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:  # not tf1mem's, or its process was killed just before or after the lock file existed
        with suppress(OSError):
            return time.time() - status.st_mtime > _LONG_AGO_S and not os.listdir(path)
        return False
    except OSError:
        return False
    try:
        age = time.time() - status.st_mtime
        free = _lock(held)
        return age > _LONG_AGO_S if free is None else free and age > _YOUNG_S
    finally:
        os.close(held)


def _lock(opened: int, wait: bool = False) -> bool | None:
    """Returns True if the folder could be locked, None on a file system without locks.

    Args:
        opened: A descriptor of the folder's lock file.
        wait: True to wait until it is free. Defaults to False.
    """
    try:
        import fcntl

        fcntl.flock(opened, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True
