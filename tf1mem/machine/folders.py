"""Temporary folders that are gone in the end, even where who made one was killed: the next one to make such sweeps.

In each lies a file that its maker has locked for as long as it lives, and whoever it has forked. Which is not locked is
nobody's.
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
# A folder is made a moment before it is locked; and where a file system has no locks, only time tells.
_YOUNG_S, _LONG_AGO_S = 10, 24 * 3600


def user_cache() -> str:
    """Returns tf1mem's folder in the user's cache, by the XDG Base Directory Specification; it may not be there.

    Where there is neither HOME nor an entry in the password database the path isn't absolute.
    """
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    usual = xdg if os.path.isabs(xdg) else os.path.expanduser("~/.cache")  # a relative path is to be ignored
    return os.path.join(usual, "tf1mem")


@contextmanager
def temporary(prefix: str, parent: str | None = None) -> Iterator[Path]:
    """A folder that is there for as long as the context lasts. Those of this prefix that are nobody's are removed.

    Args:
        prefix: What its name begins with.
        parent: Where it is made; in the folder for temporary files by default.

    Raises:
        OSError: It can't be made.
    """
    sweep(prefix, parent)
    owner = os.getpid()
    folder = tempfile.mkdtemp(prefix=prefix, dir=parent)
    try:
        held = os.open(os.path.join(folder, _HELD), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:  # a disk may have room for the folder and none for a file
        os.rmdir(folder)
        raise
    try:
        _lock(held, wait=True)  # one who sweeps may be looking at it just now
        yield Path(folder)
    finally:
        if os.getpid() == owner:  # and not a process that was forked in here
            os.close(held)
            _remove(folder)


def sweep(prefix: str, parent: str | None = None) -> None:
    """Removes the user's own folders of this prefix whose maker was killed.

    Args:
        prefix: What their names begin with.
        parent: Where they are; the folder for temporary files by default.
    """
    try:
        with os.scandir(parent or tempfile.gettempdir()) as entries:
            left = [entry.path for entry in entries if entry.name.startswith(prefix) and _is_nobodys(entry.path)]
    except OSError:
        return
    for path in left:
        _remove(path)


def _remove(folder: str) -> None:
    """Removes all of it, or leaves the mark by which the next one to sweep knows it, whenever this process is killed.

    What a killed process had started may still write there.
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
    try:
        status = os.lstat(path)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return False
    except (OSError, AttributeError):  # removed meanwhile; AttributeError: on Windows
        return False
    try:
        held = os.open(os.path.join(path, _HELD), os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:  # not made here; or its maker was killed before it was marked, or when all else was gone
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
    """Returns True if the folder could be locked; None where there are no locks.

    Args:
        opened: A descriptor of its mark.
        wait: Waits until it is free.
    """
    try:
        import fcntl

        fcntl.flock(opened, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True
