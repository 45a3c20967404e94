"""Finds the files of a tree to rewrite, much as ruff does."""

from __future__ import annotations

import os
import stat
from functools import partial
from operator import attrgetter
from typing import Callable, Iterable, Iterator, NamedTuple, Sequence, Union

from tf1mem.codemod.trees.patterns import Patterns, Unfollowed, read_patterns
from tf1mem.codemod.trees.temporaries import is_temporary
from tf1mem.codemod.trees.tracked import Tracked

KINDS = {".py": "python", ".ipynb": "notebook"}
DOCUMENT_KINDS = {".md": "markdown", ".markdown": "markdown", ".rst": "rst"}
# Larger files are data, or generated. A notebook contains its pictures.
LIMITS_MIB = {"python": 4, "notebook": 32, "markdown": 4, "rst": 4, "c++": 4}
# Folders that ruff leaves out beside hidden ones: installed packages and build results.
LEFT_OUT = frozenset(
    ("__pycache__", "__pypackages__", "_build", "buck-out", "dist", "node_modules", "site-packages", "venv")
)
# These are left out without a report.
_NEVER_SOURCE = frozenset((".git", "__pycache__"))
# A folder with one of these is an environment, whatever its name (PEP 405; conda).
ENVIRONMENT_MARKS = frozenset(("pyvenv.cfg", "conda-meta"))
# In one folder the later file wins, as in ripgrep and ruff, which also read `.ignore`.
_IGNORE_FILES = (".git/info/exclude", ".gitignore", ".ignore")
# Git doesn't read this file, so a file that it names is left out even if git tracks that file.
_NOT_OF_GIT = ".ignore"

EXCLUDED = "excluded"


class File(NamedTuple):
    """A file to rewrite.

    Attributes:
        path: The path, as shown to people: the given path, and the way down from there.
        kind: "python", "notebook", "markdown" or "rst"; or one of the `kinds` that `walk` was given.
        size_bytes: Size in bytes when it was found.
        inode: Device and inode if it has several hard links, else None.
        links: Number of its hard links.
    """

    path: str
    kind: str
    size_bytes: int
    inode: tuple[int, int] | None = None
    links: int = 1


class PassedOver(NamedTuple):
    """A skipped file or folder, with a reason that people should know."""

    path: str
    why: str


class Unreadable(NamedTuple):
    """A given path that can't be read."""

    path: str
    why: str


class LeftOut(NamedTuple):
    """A file or folder outside the search.

    Attributes:
        path: The path, as shown to people.
        why: The reason: a phrase that follows "2 files" or "a folder".
        is_folder: True for a folder, which is not entered.
    """

    path: str
    why: str
    is_folder: bool


class Leftover(NamedTuple):
    """A temporary file that a killed run left behind."""

    path: str


Entry = Union[File, LeftOut, PassedOver, Unreadable, Leftover]


class Exclusion(NamedTuple):
    """Patterns that leave files out, even given ones.

    Attributes:
        folder: The folder that the patterns are relative to, absolute.
        patterns: The patterns, as in a `.gitignore`.
    """

    folder: str
    patterns: Patterns


class _Filter(NamedTuple):
    patterns: Patterns
    prefix: str  # path of the walked folder relative to the patterns' folder: "" or ending in a slash
    file: str = ""  # name of the ignore file with the patterns


class _Folder(NamedTuple):
    path: str  # as shown to people; "" for the working folder
    real: str
    exclusions: tuple[_Filter, ...]
    ignores: tuple[_Filter, ...]
    tracked: Tracked | None  # git's view of its repository; None outside of one
    ignored: str = ""  # the ignore file that names the folder, if only tracked files in it count


def kind_of(path: str) -> str:
    """Returns the kind of a file by its name: Python unless its suffix is another's."""
    suffix = os.path.splitext(path)[1].lower()
    return KINDS.get(suffix) or DOCUMENT_KINDS.get(suffix) or "python"


def walk(
    paths: Iterable[str], *, exclude: Sequence[Exclusion] = (), docs: bool = False, kinds: dict[str, str] | None = None
) -> Iterator[Entry]:
    """Finds the files to rewrite, in an order that depends on their names alone.

    In folders: `.py` and `.ipynb`, with `docs` also `.md`, `.markdown` and `.rst`. Left out are files named in
    `.gitignore` and `.git/info/exclude` unless git tracks them, files named in `.ignore`, hidden folders, environments
    and the folders in LEFT_OUT. The user's own `core.excludesFile` is not read, so that the result is the same on every
    machine. Symbolic links in folders are not followed: targets within the tree are found there.

    A given path is read whatever its name and wherever it leads, unless `exclude` names it.

    Args:
        paths: Files and folders. A path that is given twice, or lies in another, is found once.
        exclude: Patterns to leave out in any case.
        docs: True to find also Markdown and reST, for the code in them.
        kinds: Other files to find in folders: suffix -> kind, with a limit in LIMITS_MIB.

    Yields:
        Files; and what is left out, skipped, unreadable, or left behind by a killed run.
    """
    yield from _Walk([os.fspath(path) for path in paths], exclude, docs, kinds).entries()


class _Walk:
    def __init__(
        self, paths: Sequence[str], exclude: Sequence[Exclusion], docs: bool, kinds: dict[str, str] | None
    ) -> None:
        self._exclude = exclude
        self._kinds = kinds or ({**KINDS, **DOCUMENT_KINDS} if docs else KINDS)
        self._docs = docs
        self._roots: dict[str, str] = {}  # real path -> path as first given
        for path in paths:
            self._roots.setdefault(os.path.realpath(path), path)
        self._seen: set[str] | None = set() if len(self._roots) > 1 else None
        self._repositories: list[Tracked] = []
        self._unfollowed: dict[str, str] = {}  # ignore file -> the reason why it isn't followed

    def entries(self) -> Iterator[Entry]:
        """Yields an entry for each file under the roots, and for what isn't read, with the reason."""
        for real, path in self._roots.items():
            try:
                info = os.stat(path)
            except OSError as error:
                yield Unreadable(path, error.strerror or str(error))
                continue
            if stat.S_ISDIR(info.st_mode):
                filters = [_Filter(patterns, _way(real, folder), EXCLUDED) for folder, patterns in self._exclude]
                if any(each.patterns.decide_deep(each.prefix or os.path.basename(real) + "/") for each in filters):
                    yield PassedOver(path, EXCLUDED)
                else:
                    yield from self._tree(path, real, tuple(filters))
            elif not stat.S_ISREG(info.st_mode):
                yield Unreadable(path, "is neither a file nor a folder")
            elif any(
                patterns.decide_deep(_way(os.path.dirname(real), folder) + os.path.basename(real))
                for folder, patterns in self._exclude
            ):
                yield PassedOver(path, EXCLUDED)
            elif not self._docs and os.path.splitext(path)[1].lower() in DOCUMENT_KINDS:
                yield PassedOver(path, "is text: use --docs to rewrite its code")
            elif self._is_new(*os.path.split(real)):
                yield _file(path, kind_of(path), info)
        yield from (Unreadable(path, why) for path, why in self._unfollowed.items())
        for tracked in self._repositories:
            if tracked.problem:
                yield PassedOver(
                    tracked.path,
                    f"files named in ignore files, since git doesn't say which it tracks ({tracked.problem})",
                )

    def _record_unfollowed(self, unfollowed: Unfollowed, real: str = "", path: str = "") -> None:
        """Records an ignore file that is not followed, by its folder's path as shown to people."""
        shown = os.path.join(path, os.path.relpath(unfollowed.path, real)) if real else unfollowed.path
        self._unfollowed.setdefault(shown, unfollowed.why)

    def _is_new(self, folder: str, name: str) -> bool:
        if self._seen is None:
            return True
        real = os.path.join(folder, name)
        new = real not in self._seen
        self._seen.add(real)
        return new

    def _tree(self, root: str, real: str, exclusions: tuple[_Filter, ...]) -> Iterator[Entry]:
        """Yields the entries of one folder, depth first, by an explicit stack: trees may be deep."""
        shown = "" if root.rstrip(os.sep) == os.curdir else root
        top_folder = repository(real)
        ignores = () if top_folder is None else _ignores_above(real, top_folder, self._record_unfollowed)
        top = _Folder(shown, real, exclusions, ignores, None if top_folder is None else self._tracked(real, root))
        stack = [self._folder(top, named=True)]
        while stack:
            for entry in stack[-1]:
                if isinstance(entry, _Folder):
                    stack.append(self._folder(entry, named=False))
                    break
                yield entry
            else:
                stack.pop()

    def _folder(self, folder: _Folder, *, named: bool) -> Iterator[Entry | _Folder]:
        """Yields the entries of a folder, by name; its subfolders as `_Folder`."""
        try:
            with os.scandir(folder.path or os.curdir) as scan:
                entries = sorted(scan, key=attrgetter("name"))
        except OSError as error:
            yield Unreadable(folder.path, error.strerror or str(error))
            return
        names = {entry.name for entry in entries}
        if not named and not names.isdisjoint(ENVIRONMENT_MARKS):
            yield LeftOut(folder.path, "holding a Python environment", True)
            return
        if not named and ".git" in names:  # a separate repository
            folder = folder._replace(ignores=(), tracked=self._tracked(folder.real, folder.path), ignored="")
        if not names.isdisjoint((*_IGNORE_FILES, ".git")):
            folder = folder._replace(
                ignores=folder.ignores
                + _own_ignores(folder.real, partial(self._record_unfollowed, real=folder.real, path=folder.path))
            )
        start = os.path.join(folder.path, "")
        for entry in entries:
            name = entry.name
            kind = self._kinds.get(name[name.rfind(".") :].lower())
            if entry.is_symlink():
                yield from self._link(entry, start + name, kind, folder)
            elif entry.is_dir(follow_symlinks=False):
                if name in _NEVER_SOURCE:
                    continue
                ignored, why = _left_out(folder, name, is_folder=True)
                if why:
                    yield LeftOut(start + name, why, True)
                    continue
                yield folder._replace(
                    path=start + name,
                    real=os.path.join(folder.real, name),
                    exclusions=_below(folder.exclusions, name),
                    ignores=_below(folder.ignores, name),
                    ignored=ignored,
                )
            elif kind is not None:
                _, why = _left_out(folder, name, is_folder=False)
                if why:
                    yield LeftOut(start + name, why, False)
                elif self._is_new(folder.real, name):
                    yield from _entry(entry, start + name, kind)
            elif is_temporary(name):
                yield Leftover(start + name)

    def _tracked(self, real: str, path: str) -> Tracked:
        self._repositories.append(Tracked(real, path))
        return self._repositories[-1]

    def _link(self, entry: os.DirEntry[str], path: str, kind: str | None, folder: _Folder) -> Iterator[Entry]:
        """Yields the remark for a link to code that isn't followed; nothing for a link into the tree itself."""
        name = entry.name
        try:
            to_folder = entry.is_dir()
        except OSError:  # a cycle of links
            to_folder = False
        if name.startswith(".") or (name in LEFT_OUT if to_folder else kind is None):
            return
        target = os.path.realpath(path)
        if not os.path.exists(target):
            why = "a broken link"
        elif any(target == root or target.startswith(os.path.join(root, "")) for root in self._roots):
            return
        else:
            why = "a link that leads out of the tree"
        if not _left_out(folder, name, is_folder=to_folder)[1]:
            yield PassedOver(path, why)


def _entry(entry: os.DirEntry[str], path: str, kind: str) -> Iterator[Entry]:
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError as error:
        yield Unreadable(path, error.strerror or str(error))
        return
    if stat.S_ISREG(info.st_mode):  # and not a pipe named x.py
        yield _file(path, kind, info)


def _file(path: str, kind: str, info: os.stat_result) -> Entry:
    limit = LIMITS_MIB[kind]
    if info.st_size > limit << 20:
        return PassedOver(path, f"larger than {limit} MiB")
    if info.st_nlink > 1:
        return File(path, kind, info.st_size, (info.st_dev, info.st_ino), info.st_nlink)
    return File(path, kind, info.st_size)


def _left_out(folder: _Folder, name: str, *, is_folder: bool) -> tuple[str, str]:
    """Returns the ignore file that names a file or folder, and the reason for leaving it out; "" for none."""
    if is_folder and name.startswith("."):
        return "", "with a name that begins with a dot"
    if is_folder and name in LEFT_OUT:
        return "", "of installed packages or builds"
    matched_name = name + "/" if is_folder else name
    if folder.exclusions and _decide(folder.exclusions, matched_name):
        return "", EXCLUDED
    by = folder.ignored or (folder.ignores and _decide(folder.ignores, matched_name))
    if not by:
        return "", ""
    if by != _NOT_OF_GIT and folder.tracked is not None and os.path.join(folder.real, name) in folder.tracked:
        return by, ""
    return by, "named in " + by


def _decide(filters: tuple[_Filter, ...], name: str) -> str:
    """Returns the name of the nearest ignore file with a decision, if it leaves the name out; else ""."""
    for patterns, prefix, file in reversed(filters):
        decision = patterns.decide(prefix + name, name)
        if decision is not None:
            return file if decision else ""
    return ""


def _way(real: str, folder: str) -> str:
    """Returns the path from the folder of patterns down to a given folder; "" for that folder itself or one outside."""
    way = os.path.relpath(real, os.path.realpath(folder)).replace(os.sep, "/") + "/"
    return "" if way == "./" or way.startswith("../") else way


def _below(filters: tuple[_Filter, ...], name: str) -> tuple[_Filter, ...]:
    return tuple([each._replace(prefix=each.prefix + name + "/") for each in filters]) if filters else filters


def _own_ignores(folder: str, tell: Callable[[Unfollowed], None]) -> tuple[_Filter, ...]:
    """Returns the filters that begin in a folder: its ignore files, and for a repository git's own exclude file."""
    read = ((read_patterns(os.path.join(folder, *file.split("/")), tell), file) for file in _IGNORE_FILES)
    return tuple(_Filter(patterns, "", file) for patterns, file in read if patterns is not None)


def repository(folder: str) -> str | None:
    """Returns the top folder of the repository that a folder is in, along the path upwards; None if it is in none."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder


def _ignores_above(real: str, repository: str, tell: Callable[[Unfollowed], None]) -> tuple[_Filter, ...]:
    """Returns the filters of the folders above a given one, from its repository on; none if they leave it out."""
    filters: tuple[_Filter, ...] = ()
    folder = repository
    for name in [] if real == repository else os.path.relpath(real, repository).split(os.sep):
        filters = _below(filters + _own_ignores(folder, tell), name)
        folder = os.path.join(folder, name)
    for patterns, way, _ in reversed(filters):
        decision = patterns.decide_deep(way)
        if decision is not None:
            return () if decision else filters
    return filters
