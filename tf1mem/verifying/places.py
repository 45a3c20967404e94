"""The folders in which sides run: copies of the program's, so that no side reads what another has written."""

from __future__ import annotations

import os
import shutil
from itertools import islice
from pathlib import Path
from typing import Iterator, NamedTuple

from tf1mem.errors import ScriptNotFoundError

# A larger file is data: it is linked, not copied.
_LARGE = 16 << 20
_MOST_FILES = 20_000
_LEFT_OUT = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".nox", ".tox", ".venv", "venv", "node_modules", ".mypy_cache"}
)


class Place(NamedTuple):
    """A program's files.

    Attributes:
        root: The folder that is copied: the program's repository; without one the current folder, or the program's own
            where that is elsewhere.
        program: The program's path below `root`.
        here: The current folder below `root`.
        in_place: The reason why sides run in `root` itself; "" where each has a copy.
    """

    root: str
    program: str
    here: str
    in_place: str = ""


def place_of(program: str) -> Place:
    """Returns the place of a program.

    Raises:
        ScriptNotFoundError: There is no such file.
    """
    path = os.path.realpath(program)
    if not os.path.isfile(path):
        raise ScriptNotFoundError(f"tf1mem verify {program}", "is not a file", "Name the script that trains")
    here = os.path.realpath(os.curdir)
    nearest = here if _is_below(path, here) else os.path.dirname(path)
    root = next((each for each in (_repository(path), nearest) if each and _is_copied(each)), "")
    why = "" if root else f"{nearest} has more files than are copied"
    root = root or nearest
    return Place(root, os.path.relpath(path, root), os.path.relpath(here, root) if _is_below(here, root) else ".", why)


def _repository(path: str) -> str:
    """Returns the folder above a file that git keeps a repository in; "" where there is none."""
    folder = os.path.dirname(path)
    while not os.path.exists(os.path.join(folder, ".git")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return ""
    return folder


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _is_copied(root: str) -> bool:
    return root not in (os.path.realpath(os.path.expanduser("~")), os.path.sep) and _count(root) <= _MOST_FILES


def _count(root: str) -> int:
    """Returns the count of a program's files, or one more than are copied."""
    return sum(1 for _ in islice(files_of(root), _MOST_FILES + 1))


def files_of(root: str) -> Iterator[str]:
    """Yields the paths of a program's files, without those of environments and of version control."""
    for folder, folders, files in os.walk(root):
        left_out = _left_out(folder, folders)
        folders[:] = [name for name in folders if name not in left_out]
        yield from (os.path.join(folder, name) for name in files)


def copy(place: Place, to: Path) -> Path:
    """Copies a program's files; large ones are linked.

    Args:
        place: The files.
        to: A folder that isn't there yet.

    Returns:
        The folder in which the program is to run, `place.root` itself where nothing is copied.
    """
    if place.in_place:
        return Path(place.root)
    shutil.copytree(
        place.root, to, symlinks=False, ignore=_ignored, copy_function=_copied, ignore_dangling_symlinks=True
    )
    return to


def _ignored(folder: str, names: list[str]) -> set[str]:
    return _left_out(folder, names) | {name for name in names if not _is_plain(os.path.join(folder, name))}


def _left_out(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name in _LEFT_OUT or os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))}


def _is_plain(path: str) -> bool:
    """Returns False for a FIFO, a socket or a device, which would be read for ever."""
    return os.path.isdir(path) or os.path.isfile(path) or os.path.islink(path)


def _copied(source: str, target: str) -> str:
    if os.path.getsize(source) > _LARGE:
        os.symlink(os.path.realpath(source), target)
        return target
    return str(shutil.copy2(source, target))
