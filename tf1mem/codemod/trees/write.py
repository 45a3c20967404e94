"""Reads a file, and replaces it so that at any moment it has its old bytes or its new ones.

The new bytes go to a temporary file in the same folder, which is synced and then renamed onto the old one. The
rename gives the name a new inode, so two cases need care:

- A symbolic link stays one: the file that it leads to is replaced.
- A file with several hard links is replaced under all of its names at once, each by its own rename, so that they are
  one file again. If the process is killed between two renames, some names are the new file and some the old one, both
  whole; on the next run, the others follow as a separate file. Overwriting in place would keep the inode, but leave a
  torn file if killed. If some names are unknown (a backup made of hard links, a package cache), nothing is written.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import ExitStack
from typing import Sequence

from tf1mem.codemod.trees import temporaries
from tf1mem.errors import SourceFileError

_AGAIN = "Run the command again"
# The largest of the walk's limits.
MOST_BYTES = 32 << 20


def read_file(path: str, most_bytes: int = MOST_BYTES) -> bytes:
    """Reads a file.

    Args:
        path: Path of the file; symbolic links are followed.
        most_bytes: The largest size, in bytes.

    Raises:
        SourceFileError: The file is gone, unreadable, no regular file, or too large.
    """
    try:
        # Without blocking, in case it has become a pipe.
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        try:
            info = os.fstat(file)
            if not stat.S_ISREG(info.st_mode):
                raise SourceFileError(path, "is not a file any more", _AGAIN)
            return _read_all(file, info.st_size, path, most_bytes)
        finally:
            os.close(file)
    except SourceFileError:
        raise
    except OSError as error:
        raise SourceFileError(path, f"can't be read: {error.strerror}", _remedy(error)) from error


def replace_file(paths: Sequence[str], before: bytes, after: bytes) -> None:
    """Replaces a file by another with the same permissions, owner and extended attributes.

    Args:
        paths: The file's path, or those of all of its hard links.
        before: The bytes that were read. A write to the file between the last check and the rename is lost: no file
            system offers better.
        after: The new bytes.

    Raises:
        SourceFileError: The file was not replaced: it has changed since, has names that are not in `paths`, or it or
            its folder can't be written. It is unchanged then, and no temporary file is left.
    """
    targets = [os.path.realpath(path) if os.path.islink(path) else path for path in paths]
    try:
        _check(targets, before)
        with ExitStack() as stack:
            renames = _prepare(stack, targets, after)
            _check(targets, before)
            for new, target in renames:
                os.replace(new, target)
    except SourceFileError:
        raise
    except OSError as error:
        wrong = f"can't be written: {error.strerror or error}"
        raise SourceFileError(paths[0], wrong, _remedy(error)) from error


def _prepare(stack: ExitStack, targets: Sequence[str], after: bytes) -> list[tuple[str, str]]:
    """Creates the new file under a temporary name beside each target; the exit of the stack removes what is left."""
    file, new = temporaries.create(os.path.dirname(targets[0]), os.getpid())
    stack.callback(_remove, new)
    with ExitStack() as opened:
        opened.callback(os.close, file)
        _write_all(file, after)
        _copy_metadata(targets[0], file)
        _sync(file)
        if os.name != "nt":  # Windows can't rename an open file
            stack.push(opened.pop_all())
    renames = [(new, targets[0])]
    for target in targets[1:]:
        path = temporaries.new_name(os.path.dirname(target), os.getpid())
        stack.callback(_remove, path)
        os.link(new, path)
        renames.append((path, target))
    return renames


def _check(targets: Sequence[str], before: bytes) -> None:
    """Checks that every name still leads to the bytes that were read, and may be replaced."""
    first = os.lstat(targets[0])
    for target in targets:
        info = os.lstat(target)
        same = (info.st_dev, info.st_ino) == (first.st_dev, first.st_ino)
        if not same or not stat.S_ISREG(info.st_mode) or read_file(target) != before:
            raise SourceFileError(target, "has changed since it was read", _AGAIN)
        if not _may_write(target):
            raise SourceFileError(target, "is read-only", "Make it writable (chmod u+w), and run the command again")
    others = first.st_nlink - len(targets)
    if others > 0:
        raise SourceFileError(
            targets[0],
            "has {} more hard link{}, from which writing would separate it".format(others, "" if others == 1 else "s"),
            "Give the folders of all its names too, or make it a separate file (cp, then mv)",
        )


def _may_write(path: str) -> bool:
    # A rename needs no permission for the file itself: whoever may write to the folder could replace a read-only file.
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _copy_metadata(path: str, file: int) -> None:
    old, new = os.stat(path), os.fstat(file)
    if hasattr(os, "fchown") and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        try:
            os.fchown(file, old.st_uid, old.st_gid)
        except OSError:  # another user's file in a shared folder: at least the group
            try:
                os.fchown(file, -1, old.st_gid)
            except OSError:
                pass
    if hasattr(os, "listxattr"):
        _copy_attributes(path, file)
    # Last, since a change of owner clears the set-user-ID bit.
    mode = stat.S_IMODE(old.st_mode)
    if hasattr(os, "fchmod") and stat.S_IMODE(os.fstat(file).st_mode) != mode:
        os.fchmod(file, mode)


def _copy_attributes(path: str, file: int) -> None:
    """Copies access lists and other attributes; those of the system, which can't be set, are skipped."""
    try:
        for name in os.listxattr(path):
            try:
                os.setxattr(file, name, os.getxattr(path, name))
            except OSError:
                continue
    except OSError:
        pass


def _sync(file: int) -> None:
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system without sync
            raise


def _read_all(file: int, size: int, path: str, most_bytes: int) -> bytes:
    source = os.read(file, min(size, most_bytes) + 1)
    if len(source) == size <= most_bytes:
        return source
    pieces, size = [source], len(source)  # it grows while it is read, or the file system returns less per read
    while pieces[-1]:
        if size > most_bytes:
            raise SourceFileError(path, f"is larger than {most_bytes >> 20} MiB", "Leave it out")
        pieces.append(os.read(file, 1 << 20))
        size += len(pieces[-1])
    return b"".join(pieces)


def _write_all(file: int, source: bytes) -> None:
    remaining = memoryview(source)
    while remaining:
        remaining = remaining[os.write(file, remaining) :]


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:  # renamed
        pass


def _remedy(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", None)):
        return "Make room, and run the command again"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "Allow it for this user, and run the command again"
    return _AGAIN
