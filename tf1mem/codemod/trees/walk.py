"""Which files of a tree are looked at: much as ruff walks."""

from __future__ import annotations

import os
import stat
from operator import attrgetter
from typing import Iterable, Iterator, NamedTuple, Sequence, Union

from tf1mem.codemod.trees.patterns import IGNORE_FILES, Patterns, read_patterns
from tf1mem.codemod.trees.temporaries import is_temporary

KINDS = {".py": "python", ".ipynb": "notebook"}
DOCUMENT_KINDS = {".md": "markdown", ".markdown": "markdown", ".rst": "rst"}
# Beyond this it is data, or made by a program. A notebook carries its pictures.
LIMITS_MIB = {"python": 4, "notebook": 32, "markdown": 4, "rst": 4}
# What ruff leaves out beside hidden folders: installed packages and what builds make.
LEFT_OUT = frozenset(
    ("__pycache__", "__pypackages__", "_build", "buck-out", "dist", "node_modules", "site-packages", "venv")
)
# A folder that holds one of these is an environment, whatever its name (PEP 405; conda).
ENVIRONMENT_MARKS = frozenset(("pyvenv.cfg", "conda-meta"))


class File(NamedTuple):
    """A file to look at.

    Attributes:
        path: As it is named to a person: what was given, and the way down from there.
        kind: "python", "notebook", "markdown" or "rst".
        size_bytes: Its size when it was found.
        inode: Device and inode where it has other hard links, else None.
        links: How many names it has.
    """

    path: str
    kind: str
    size_bytes: int
    inode: tuple[int, int] | None = None
    links: int = 1


class PassedOver(NamedTuple):
    """Something that is not looked at, and why a person should know."""

    path: str
    why: str


class Unreadable(NamedTuple):
    """Something that was asked for and cannot be looked at."""

    path: str
    why: str


class Leftover(NamedTuple):
    """A temporary file that a run left behind when it was killed."""

    path: str


Entry = Union[File, PassedOver, Unreadable, Leftover]


class Exclusion(NamedTuple):
    """Patterns that leave files out, named or not.

    Attributes:
        folder: Where the patterns start from, absolute.
        patterns: The patterns, as in a `.gitignore`.
    """

    folder: str
    patterns: Patterns


class _Filter(NamedTuple):
    patterns: Patterns
    prefix: str  # the folder that is walked, seen from that of the patterns: "" or ending in a slash


class _Folder(NamedTuple):
    path: str  # as it is shown; "" where the working folder was given
    real: str
    exclusions: tuple[_Filter, ...]
    ignores: tuple[_Filter, ...]


def kind_of(path: str) -> str:
    """What a file is by its name: one that someone names is Python unless its name says otherwise."""
    suffix = os.path.splitext(path)[1].lower()
    return KINDS.get(suffix) or DOCUMENT_KINDS.get(suffix) or "python"


def walk(paths: Iterable[str], *, exclude: Sequence[Exclusion] = (), docs: bool = False) -> Iterator[Entry]:
    """Finds the files to look at, in an order that depends on their names alone.

    In folders: `.py` and `.ipynb`, with `docs` also `.md`, `.markdown` and `.rst`. What `.gitignore`, `.ignore` and
    `.git/info/exclude` name is left out, and so are hidden folders, environments and the folders in LEFT_OUT;
    a person's own `core.excludesFile` is not read, so that the result is the same on every machine. Symbolic links
    in folders are not followed: what they lead to within the tree is found there.

    A path that is given is looked at whatever it is called and wherever it leads, unless `exclude` names it.

    Args:
        paths: Files and folders. One that is given twice, or lies in another, is found once.
        exclude: What to leave out in any case.
        docs: Also the code in Markdown and reST.

    Yields:
        Files, and what is passed over, cannot be read, or was left behind by a run that was killed.
    """
    yield from _Walk([os.fspath(path) for path in paths], exclude, docs).found()


class _Walk:
    def __init__(self, paths: Sequence[str], exclude: Sequence[Exclusion], docs: bool) -> None:
        self._exclude = exclude
        self._kinds = {**KINDS, **DOCUMENT_KINDS} if docs else KINDS
        self._docs = docs
        self._given: dict[str, str] = {}  # what each is really called -> as it was given first
        for path in paths:
            self._given.setdefault(os.path.realpath(path), path)
        self._seen: set[str] | None = set() if len(self._given) > 1 else None

    def found(self) -> Iterator[Entry]:
        for real, path in self._given.items():
            try:
                info = os.stat(path)
            except OSError as error:
                yield Unreadable(path, error.strerror or str(error))
                continue
            if stat.S_ISDIR(info.st_mode):
                filters = [_Filter(patterns, _way(real, folder)) for folder, patterns in self._exclude]
                if any(each.patterns.decide_deep(each.prefix or os.path.basename(real) + "/") for each in filters):
                    yield PassedOver(path, "excluded")
                else:
                    yield from self._tree(path, real, tuple(filters))
            elif not stat.S_ISREG(info.st_mode):
                yield Unreadable(path, "is neither a file nor a folder")
            elif any(
                patterns.decide_deep(_way(os.path.dirname(real), folder) + os.path.basename(real))
                for folder, patterns in self._exclude
            ):
                yield PassedOver(path, "excluded")
            elif not self._docs and os.path.splitext(path)[1].lower() in DOCUMENT_KINDS:
                yield PassedOver(path, "is text: its code is looked at with --docs")
            elif self._is_new(*os.path.split(real)):
                yield _file(path, kind_of(path), info)

    def _is_new(self, folder: str, name: str) -> bool:
        if self._seen is None:
            return True
        real = os.path.join(folder, name)
        new = real not in self._seen
        self._seen.add(real)
        return new

    def _tree(self, root: str, real: str, exclusions: tuple[_Filter, ...]) -> Iterator[Entry]:
        shown = "" if root.rstrip(os.sep) == os.curdir else root
        top = _Folder(shown, real, exclusions, _ignores_above(real))
        stack = [self._folder(top, named=True)]
        while stack:
            for found in stack[-1]:
                if isinstance(found, _Folder):
                    stack.append(self._folder(found, named=False))
                    break
                yield found
            else:
                stack.pop()

    def _folder(self, folder: _Folder, *, named: bool) -> Iterator[Entry | _Folder]:
        """What a folder holds, by name; the folders in it as such."""
        try:
            with os.scandir(folder.path or os.curdir) as scan:
                entries = sorted(scan, key=attrgetter("name"))
        except OSError as error:
            yield Unreadable(folder.path, error.strerror or str(error))
            return
        names = {entry.name for entry in entries}
        if not named and not names.isdisjoint(ENVIRONMENT_MARKS):
            return
        exclusions, ignores = folder.exclusions, folder.ignores
        if not named and ".git" in names:
            ignores = ()  # a repository of its own
        if not names.isdisjoint((*IGNORE_FILES, ".git")):
            ignores += _own_ignores(folder.real)
        start = os.path.join(folder.path, "")
        for entry in entries:
            name = entry.name
            kind = self._kinds.get(name[name.rfind(".") :].lower())
            if entry.is_symlink():
                yield from self._link(entry, start + name, kind, exclusions + ignores)
            elif entry.is_dir(follow_symlinks=False):
                if name.startswith(".") or name in LEFT_OUT or _is_left_out(exclusions, ignores, name + "/"):
                    continue
                real = os.path.join(folder.real, name)
                yield _Folder(start + name, real, _below(exclusions, name), _below(ignores, name))
            elif kind is not None:
                if not _is_left_out(exclusions, ignores, name) and self._is_new(folder.real, name):
                    yield from _entry(entry, start + name, kind)
            elif is_temporary(name):
                yield Leftover(start + name)

    def _link(
        self, entry: os.DirEntry[str], path: str, kind: str | None, filters: tuple[_Filter, ...]
    ) -> Iterator[Entry]:
        name = entry.name
        try:
            to_folder = entry.is_dir()
        except OSError:  # links that lead to each other
            to_folder = False
        if name.startswith(".") or (name in LEFT_OUT if to_folder else kind is None):
            return
        target = os.path.realpath(path)
        if not os.path.exists(target):
            why = "a broken link"
        elif any(target == root or target.startswith(os.path.join(root, "")) for root in self._given):
            return
        else:
            why = "a link that leads out of the tree"
        if not _decide(filters, name + "/" if to_folder else name):
            yield PassedOver(path, why)


def _entry(entry: os.DirEntry[str], path: str, kind: str) -> Iterator[Entry]:
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError as error:
        yield Unreadable(path, error.strerror or str(error))
        return
    if stat.S_ISREG(info.st_mode):  # and not a pipe that is called x.py
        yield _file(path, kind, info)


def _file(path: str, kind: str, info: os.stat_result) -> Entry:
    limit = LIMITS_MIB[kind]
    if info.st_size > limit << 20:
        return PassedOver(path, f"larger than {limit} MiB")
    if info.st_nlink > 1:
        return File(path, kind, info.st_size, (info.st_dev, info.st_ino), info.st_nlink)
    return File(path, kind, info.st_size)


def _is_left_out(exclusions: tuple[_Filter, ...], ignores: tuple[_Filter, ...], name: str) -> bool:
    return bool((exclusions and _decide(exclusions, name)) or (ignores and _decide(ignores, name)))


def _decide(filters: tuple[_Filter, ...], name: str) -> bool | None:
    """What the nearest ignore file that has something to say about it says."""
    for patterns, prefix in reversed(filters):
        said = patterns.decide(prefix + name, name)
        if said is not None:
            return said
    return None


def _way(real: str, folder: str) -> str:
    """The way from a pattern's folder down to one that is given: "" or ending in a slash; "" too if it isn't below."""
    way = os.path.relpath(real, os.path.realpath(folder)).replace(os.sep, "/") + "/"
    return "" if way == "./" or way.startswith("../") else way


def _below(filters: tuple[_Filter, ...], name: str) -> tuple[_Filter, ...]:
    return tuple([_Filter(each.patterns, each.prefix + name + "/") for each in filters]) if filters else filters


def _own_ignores(folder: str) -> tuple[_Filter, ...]:
    """The filters that begin in a folder: its ignore files, and where it is a repository what only git knows of."""
    info = read_patterns(os.path.join(folder, ".git", "info"), ("exclude",))
    own = read_patterns(folder)
    return tuple(_Filter(patterns, "") for patterns in (info, own) if patterns is not None)


def _ignores_above(real: str) -> tuple[_Filter, ...]:
    """The filters of the folders above one that is given, up to its repository; none if they leave it out itself."""
    above: list[tuple[str, str]] = []  # folders from the near to the far, with the way down from each
    folder, way = real, ""
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent, name = os.path.split(folder)
        if parent == folder:
            return ()  # not in a repository
        folder, way = parent, name + "/" + way
        above.append((folder, way))
    filters: tuple[_Filter, ...] = ()
    for folder, way in reversed(above):
        filters += tuple(each._replace(prefix=way) for each in _own_ignores(folder))
    for patterns, way in reversed(filters):
        said = patterns.decide_deep(way)
        if said is not None:
            return () if said else filters
    return filters
