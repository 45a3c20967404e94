"""The folders in which the sides run: copies of the program's folder, so that no side reads the other's output."""

from __future__ import annotations

import errno
import os
import shutil
from itertools import islice
from pathlib import Path
from typing import Collection, Iterator, NamedTuple, Sequence

from tf1mem.errors import ScriptNotFoundError, VerifyError

# The errors of a full disk.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
# The start of the names of the folders that copies are made in.
TEMPORARY = "tf1mem-verify-"
# Files larger than this are data. A copy of the folder has at most `ROOM` bytes of them; clones take no room.
_LARGE = 16 << 20
ROOM = 1 << 30
# Linux's ioctl by which two files share their blocks until one is written, on btrfs, XFS and others.
_CLONE = 0x40049409
# A folder with more files isn't copied.
_MOST_FILES = 20_000
_TOO_LARGE = f"has more than {_MOST_FILES:,} files or is your home folder"
# Names of folders that aren't copied: version control, environments and caches.
_LEFT_OUT = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".nox", ".tox", ".venv", "venv", "node_modules", ".mypy_cache"}
)


class Place(NamedTuple):
    """A program's files.

    Attributes:
        root: The folder to copy.
        program: The program's path relative to `root`.
        current: The current folder relative to `root`.
        in_place: The reason why the sides run in `root` itself; "" if each runs in a copy.
    """

    root: str
    program: str
    current: str
    in_place: str = ""


def place_of(program: str, folder: str | None = None) -> Place:
    """Returns the place of a program.

    Args:
        program: The script's path.
        folder: The folder to copy. None for the program's git repository; without one, or if it is too large, for the
            current folder, or the program's folder if the program isn't below the current one. If that is too large,
            too, the sides run in it.

    Raises:
        ScriptNotFoundError: There is no such file.
        VerifyError: The program isn't in `folder`, or `folder` is too large to be copied.
    """
    path = os.path.realpath(program)
    if not os.path.isfile(path):
        raise ScriptNotFoundError(f"tf1mem verify {program}", "is not a file", "Name the script that trains")
    current = os.path.realpath(os.curdir)
    why = ""
    if folder is not None:
        root = os.path.realpath(folder)
        if not os.path.isdir(root) or not is_below(path, root):
            raise VerifyError(
                f"--root {folder}", f"is not a folder with {program}", "Name a folder that the program is in"
            )
        if not _can_be_copied(root):
            raise VerifyError(
                f"--root {folder}",
                f"is too large to be copied: it {_TOO_LARGE}",
                "Name a smaller folder that the program is in",
            )
    else:
        nearest = current if is_below(path, current) else os.path.dirname(path)
        root = next((each for each in (_repository(path), nearest) if each and _can_be_copied(each)), "")
        if not root:
            root, why = nearest, f"{nearest} isn't copied, since it {_TOO_LARGE}"
    current_in_root = os.path.relpath(current, root) if is_below(current, root) else "."
    return Place(root, os.path.relpath(path, root), current_in_root, why)


def _repository(path: str) -> str:
    """Returns the top folder of the git repository that a file is in; "" if it is in none."""
    folder = os.path.dirname(path)
    while not os.path.exists(os.path.join(folder, ".git")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return ""
    return folder


def is_below(path: str, folder: str) -> bool:
    """Returns True if a path is `folder` itself, or below it. Both must be real paths."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _can_be_copied(root: str) -> bool:
    return root not in (os.path.realpath(os.path.expanduser("~")), os.path.sep) and _count(root) <= _MOST_FILES


def _count(root: str) -> int:
    """Returns the number of a program's files; it stops counting at one more than are copied."""
    return sum(1 for _ in islice(files_of(root), _MOST_FILES + 1))


def files_of(root: str) -> Iterator[str]:
    """Yields the paths of a program's files, except those of environments and of version control."""
    for folder, files in _walk(root):
        yield from (os.path.join(folder, name) for name in files)


def _walk(root: str) -> Iterator[tuple[str, list[str]]]:
    """Yields each folder of a program with the names of its files. It follows links to folders, to each folder once."""
    seen = {os.path.realpath(root)}
    for folder, folders, files in os.walk(root, followlinks=True):
        left_out = _left_out(folder, folders)
        kept = []
        for name in folders:
            real = os.path.realpath(os.path.join(folder, name))
            if name not in left_out and real not in seen:
                seen.add(real)
                kept.append(name)
        folders[:] = kept
        yield folder, files


def too_large(roots: Sequence[str], to: Path) -> set[str]:
    """Returns the real paths of the files that `copy` has to link, because they are too large to be copied.

    Of each folder, the smallest of the large files are copied, up to `ROOM` bytes, and others if they can be cloned.

    Args:
        roots: The folders that are copied.
        to: A folder in the file system of the copies, where a clone is tried.
    """
    linked = set()
    for root in roots:
        room = ROOM
        for size, path in sorted(_large_files(root)):
            room -= size
            if room < 0 and not _can_be_cloned(path, to):
                linked.add(os.path.realpath(path))
    return linked


def _large_files(root: str) -> Iterator[tuple[int, str]]:
    """Yields the size in bytes and the path of each file larger than `_LARGE`."""
    for path in files_of(root):
        if os.path.isfile(path) and os.path.getsize(path) > _LARGE:
            yield os.path.getsize(path), path


def _can_be_cloned(path: str, to: Path) -> bool:
    """Returns True if a clone of a file can be made in a folder; it is removed again."""
    target = to / "clone"
    try:
        return _clone(path, str(target))
    finally:
        if target.exists():
            target.unlink()


def copy(place: Place, to: Path, linked: Collection[str] = ()) -> Path:
    """Copies a program's files.

    Args:
        place: The files.
        to: The folder to create.
        linked: The real paths of files that get a symbolic link instead of a copy.

    Returns:
        The folder in which the program will run: `place.root` itself if nothing is copied.

    Raises:
        OSError: There is no room for the copy.
        VerifyError: A file can't be copied.
    """
    if place.in_place:
        return Path(place.root)
    for folder, names in _walk(place.root):
        target_folder = to / os.path.relpath(folder, place.root)
        target_folder.mkdir(parents=True)
        for source in (os.path.join(folder, name) for name in names):
            if os.path.isfile(source):  # no FIFO, socket or device: reading it might never end
                _copy_file(source, str(target_folder / os.path.basename(source)), linked)
    return to


def _copy_file(source: str, target: str, linked: Collection[str]) -> None:
    """Copies a file, or links it if it is in `linked`; a large one is cloned if the file system can."""
    try:
        if os.path.realpath(source) in linked:
            os.symlink(os.path.realpath(source), target)
            return
        if not (os.path.getsize(source) > _LARGE and _clone(source, target)):
            shutil.copyfile(source, target)
        shutil.copymode(source, target)
        os.utime(target, ns=(0, os.stat(source).st_mtime_ns))  # reading changes the access time, 0: see `data_files`
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        fault = f"can't be copied: {error}"
        raise VerifyError(source, fault, "Move it out of the program's folder, or make it readable") from None


def _clone(source: str, target: str) -> bool:
    """Makes a copy that shares its blocks with the original until one is written. Returns False if it can't."""
    try:
        import fcntl
    except ImportError:
        return False
    with open(source, "rb") as original, open(target, "wb") as clone:
        try:
            fcntl.ioctl(clone.fileno(), _CLONE, original.fileno())
        except OSError:
            return False
    return True


def _left_out(folder: str, names: list[str]) -> set[str]:
    return {
        name
        for name in names
        if name in _LEFT_OUT
        or name.startswith(TEMPORARY)  # TMPDIR may be in the program's folder
        or os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
    }


def data_files(place: Place, folder: Path | None) -> list[str]:
    """Returns the paths of the files, other than Python's, that a program read in its folder.

    All such files are returned if the program didn't run in a copy, or if the file system doesn't record when a file is
    read.

    Args:
        place: The program's files.
        folder: The copy in which the program ran, or None.
    """
    paths = sorted(path for path in files_of(place.root) if not path.endswith(".py") and os.path.isfile(path))
    if folder is None or place.in_place or not _records_reading(folder.parent):
        return paths
    return [path for path in paths if _may_have_been_read(folder / os.path.relpath(path, place.root))]


def _records_reading(folder: Path) -> bool:
    """Returns True if the file system of a folder records when a file is read, which the option noatime turns off."""
    probe = folder / "probe"
    probe.write_bytes(b"probe")
    os.utime(probe, ns=(0, 0))
    probe.read_bytes()
    return probe.stat().st_atime_ns != 0


def _may_have_been_read(path: Path) -> bool:
    """Returns False for a copied file that nobody has read; True for a link, and for a file that was removed."""
    return path.is_symlink() or not path.exists() or path.stat().st_atime_ns != 0
