"""Finds the files that an import of a program runs, among the program's or its repository's own files."""

from __future__ import annotations

import os
from itertools import takewhile
from typing import Iterator

from tf1mem.checking.file_findings import FileSummary
from tf1mem.checking.here import Here

_PACKAGE = "__init__"


class OwnFiles:
    """The files of one repository, by the names under which they can be imported.

    Args:
        reads: Summary of each file, by path.
        here: The installed packages.
        root: The repository's folder; None if unknown.
        script: The program, if the files are only those of one program; None for all files of a repository.
    """

    def __init__(self, reads: dict[str, FileSummary], here: Here, root: str | None, script: str | None) -> None:
        self._here, self._root, self._script = here, root, script
        self._known: dict[tuple[str, str, str], list[str]] = {}
        self._changing_path = {path for path, read in reads.items() if read.moves_path}
        self._files: dict[
            str, list[tuple[str, str]]
        ] = {}  # dotted name -> pairs of the folder that it starts from, and the file
        for path in reads:
            folder, name = os.path.split(os.path.splitext(path)[0])
            parts = [] if name == _PACKAGE else [name]
            while folder or parts:
                if parts:
                    self._files.setdefault(".".join(parts), []).append((folder, path))
                above, leaf = os.path.split(folder)
                if not leaf:
                    break
                parts.insert(0, leaf)
                folder = above
        self._starts: dict[str, set[str]] = {}  # top-level name -> the folders that it starts from
        for name, files in self._files.items():
            self._starts.setdefault(name.partition(".")[0], set()).update(start for start, _ in files)

    def files_of(self, name: str, importer: str, script: str) -> list[str]:
        """Returns the files that an import runs; none for an installed or a missing module.

        Args:
            name: The imported name, as in `Import`.
            importer: Path of the importing file.
            script: Path of the program that imports that file.
        """
        key = name, os.path.dirname(importer), os.path.dirname(script)
        if key not in self._known:
            self._known[key] = list(dict.fromkeys(self._files_of(*key)))
        return self._known[key]

    def is_found(self, top: str, importer: str, scripts: list[str]) -> bool:
        """Returns True if Python can find a module of the program, by itself or because the program extends sys.path.

        Args:
            top: The module's top-level name.
            importer: Path of the importing file.
            scripts: Paths of the programs that import that file.
        """
        if self._is_looked_for(top, *map(os.path.dirname, (importer, *scripts))):
            return True
        is_moved = not self._changing_path.isdisjoint((importer, *scripts))
        return is_moved and self.elsewhere(top) is not None and not self._here.has_module(top)

    def elsewhere(self, top: str) -> str | None:
        """Returns the folder of the repository that has a module, even if Python doesn't search it; or None."""
        root = self._root
        if self._script is not None or root is None:
            return None
        starts = self._starts.get(top, ())
        return min((start for start in starts if _holds(root, start) or start == os.path.dirname(root)), default=None)

    def _is_looked_for(self, top: str, *folders: str) -> bool:
        """Returns True if a module lies in one of these folders, or in the root."""
        return not {self._root, *folders}.isdisjoint(self._starts.get(top, ()))

    def _files_of(self, name: str, folder: str, script_folder: str) -> Iterator[str]:
        """Yields the paths of the repository's files that an import of a module loads, packages first."""
        dots = len(name) - len(name.lstrip("."))
        parts = name.lstrip(".").split(".")
        if dots:  # a relative import: each further dot is one folder up
            for _ in range(dots - 1):
                folder = os.path.dirname(folder)
            for size in range(len(parts) + 1):
                dotted = ".".join([os.path.basename(folder), *parts[:size]] if folder else parts[:size])
                yield from (
                    path
                    for _, path in self._files.get(dotted, ())
                    if os.path.dirname(path)
                    in (folder, os.path.join(folder, *parts[: max(size - 1, 0)]), os.path.join(folder, *parts[:size]))
                )
            return
        is_elsewhere = self.elsewhere(parts[0]) is not None and not self._here.has_module(parts[0])
        if not is_elsewhere and not self._is_looked_for(parts[0], folder, script_folder):
            return
        for size in range(1, len(parts) + 1):
            files = self._files.get(".".join(parts[:size]), ())
            if files:
                yield max(files, key=lambda entry: _nearness(entry[0], folder))[1]


def _holds(folder: str, other: str) -> bool:
    return not folder or os.path.join(other, "").startswith(os.path.join(folder, ""))


def _nearness(folder: str, other: str) -> int:
    """Returns the number of folders that two paths share, from the top."""
    pairs = zip(folder.split(os.sep), other.split(os.sep))
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def beside(path: str, script: str, root: str | None, name: str) -> Iterator[str]:
    """Yields the files that a script's import may mean: next to the importing file or the script, or in the root.

    Args:
        path: Path of the importing file.
        script: Path of the script.
        root: The repository's folder; None if unknown.
        name: The imported name, as in `Import`.
    """
    folder = os.path.dirname(path)
    dots = len(name) - len(name.lstrip("."))
    for _ in range(dots - 1):
        folder = (
            os.path.join(folder, os.pardir) if not folder or folder.endswith(os.pardir) else os.path.dirname(folder)
        )
    parts = [part for part in name.split(".") if part]
    starts = [folder] if dots else [folder, os.path.dirname(script), *([] if root is None else [root])]
    for start in dict.fromkeys(starts):
        for size in range(len(parts) + 1):
            stem = os.path.join(start, *parts[:size])
            for file in (stem + ".py" if size else "", os.path.join(stem, _PACKAGE + ".py") if size or dots else ""):
                if file and os.path.isfile(file):
                    yield file
