"""Distinguishes the program's own files from installed ones."""

from __future__ import annotations

import os
import sys
from typing import Iterable

_INSTALLED = ("site-packages", "dist-packages")

# Packages that belong to TensorFlow, wherever they are. `Territory.shadows` detects a program's modules of these names.
TENSORFLOW = frozenset(["tensorflow", "tensorflow_core", "tensorflow_estimator", "keras", "tf_keras", "tf_slim"])


class Territory:
    """The program's own files: its folder, and everything else on the path that isn't installed.

    The standard library, site-packages and dist-packages, eggs, folders that `pip install --target` filled, and tf1mem
    itself count as installed.

    Args:
        root: The folder that Python puts first on the path: the script's, or the current one under -m.
        packages: Top-level names that belong to the program even if installed: that of -m, and those of --with-package.
    """

    def __init__(self, root: str, packages: Iterable[str] = ()) -> None:
        self.root = root
        self.packages = frozenset(packages)
        self._root = _with_separator(os.path.realpath(root))
        self._foreign = tuple(
            _with_separator(os.path.realpath(os.path.dirname(known)))
            for known in (os.__file__, os.path.dirname(__file__))
        )
        self._directories: dict[str, bool] = {}  # True for the program's own
        self._installed: dict[str, frozenset[str]] = {}  # entry of sys.path -> names that pip installed there

    def owns(self, module: str, filename: str) -> bool:
        """Returns True if a module, found at `filename`, is the program's own."""
        top = module.partition(".")[0]
        if top in TENSORFLOW and not self.shadows(top, filename):
            return False
        if top in self.packages:
            return True
        return self.may_own(module, [os.path.dirname(filename)]) and not self._installed_beside(top, filename)

    def may_own(self, module: str, directories: Iterable[str]) -> bool:
        """Returns True if a module in one of the directories may be the program's own: a cheap test."""
        if module.partition(".")[0] in self.packages:
            return True
        return any(self._owns_directory(directory) for directory in directories)

    def shadows(self, top: str, filename: str) -> bool:
        """Returns True if the program has its own package or module named `top`, such as keras.py."""
        directory = os.path.dirname(filename)
        inside = _with_separator(os.path.realpath(filename)).startswith(self._root)
        return inside and self._owns_directory(directory) and not self._installed_beside(top, filename)

    @staticmethod
    def is_installed(filename: str) -> bool:
        """Returns True if a file is in a folder of installed packages, by the folder's name."""
        return _is_installed(os.path.dirname(filename))

    def _owns_directory(self, directory: str) -> bool:
        own = self._directories.get(directory)
        if own is None:
            own = self._directories[directory] = self._is_own_directory(directory)
        return own

    def _is_own_directory(self, directory: str) -> bool:
        if not directory.startswith(self.root) and _is_installed(directory):
            return False  # the common case: TensorFlow has hundreds of folders, and resolving links is slow
        real = _with_separator(os.path.realpath(directory))
        if _is_installed(real[len(self._root) :] if real.startswith(self._root) else real):
            return False
        # A script inside the standard library or tf1mem is a program like any other.
        return not any(real.startswith(foreign) for foreign in self._foreign if not self._root.startswith(foreign))

    def _installed_beside(self, top: str, filename: str) -> bool:
        """Returns True if pip installed a module or package named `top` where a file is."""
        real = os.path.realpath(filename)
        return any(
            top in self._installed_in(entry)
            for entry in sys.path
            if real.startswith(_with_separator(os.path.realpath(entry)))
        )

    def _installed_in(self, entry: str) -> frozenset[str]:
        tops = self._installed.get(entry)
        if tops is None:
            tops = self._installed[entry] = frozenset(recorded(entry))
        return tops


def _is_installed(directory: str) -> bool:
    return any(part in _INSTALLED or part.endswith(".egg") for part in directory.split(os.sep))


def recorded(directory: str, distribution: str = "") -> Iterable[str]:
    """Yields the top-level names that pip installed into a directory, by pip's own records.

    Args:
        directory: An entry of sys.path.
        distribution: Only this distribution, by pip's name; "" for all.
    """
    try:
        entries = [name for name in os.listdir(directory or os.curdir) if name.endswith(".dist-info")]
        if distribution:
            entries = [name for name in entries if _normalized(name.split("-")[0]) == _normalized(distribution)]
    except OSError:  # a zip file, or a directory that is not there
        return
    for entry in entries:
        try:
            with open(os.path.join(directory, entry, "RECORD"), encoding="utf-8") as record:
                for line in record:
                    first = line.replace(",", "/").split("/", 1)[0]
                    yield first[:-3] if first.endswith(".py") else first
        except (OSError, UnicodeDecodeError):
            continue


def _normalized(distribution: str) -> str:
    return distribution.replace("-", "_").replace(".", "_").lower()


def _with_separator(directory: str) -> str:
    return directory.rstrip(os.sep) + os.sep
