"""What programs are held against: this Python, and what is installed for it, read without importing any of it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, version
from typing import Iterator

from packaging.version import Version

from tf1mem.machine.tensorflow import installed_version, parse_leniently


@dataclass
class Here:
    """A Python, and what is installed for it.

    Attributes:
        python: Its version, such as (3, 12).
        tensorflow: The version of TensorFlow; None where there is none.
        path: The folders in which modules are looked for.
    """

    python: tuple[int, int]
    tensorflow: Version | None
    path: list[str]
    _modules: dict[str, bool] = field(default_factory=dict)
    _versions: dict[str, Version | None] = field(default_factory=dict)

    def has_module(self, name: str) -> bool:
        """Whether a module can be imported that isn't the program's own, by its top-level name."""
        if name not in self._modules:
            in_python = name in sys.stdlib_module_names or name in sys.builtin_module_names
            self._modules[name] = in_python or PathFinder.find_spec(name, self.path) is not None
        return self._modules[name]

    def version_of(self, distribution: str) -> Version | None:
        """The version of a distribution that is installed; None where it isn't."""
        if distribution not in self._versions:
            try:
                self._versions[distribution] = parse_leniently(version(distribution))
            except PackageNotFoundError:
                self._versions[distribution] = None
        return self._versions[distribution]

    def is_as_new(self, since: str) -> bool:
        """Whether what is installed is of a version or newer.

        Args:
            since: "NumPy 1.24", "Python 3.12".
        """
        name, _, number = since.rpartition(" ")
        if name == "Python":
            return self.python >= tuple(map(int, number.split(".")[:2]))
        found = self.version_of(name)
        return found is not None and found >= Version(number)

    def tensorflow_files(self) -> str | None:
        """The folder of TensorFlow's own files, `tensorflow.python` among them."""
        folders = (self.folder_of(package) for package in ("tensorflow", "tensorflow_core"))
        return next((folder for folder in folders if folder and os.path.isdir(os.path.join(folder, "python"))), None)

    def folder_of(self, package: str) -> str | None:
        """The folder of a package's files; None where it isn't installed."""
        spec = PathFinder.find_spec(package, self.path)
        return next(iter((spec.submodule_search_locations or ()) if spec else ()), None)

    def lines(self) -> Iterator[str]:
        """What it is, for people."""
        yield "Python {}.{}".format(*self.python)
        yield f"TensorFlow {self.tensorflow}" if self.tensorflow else "no TensorFlow"


def here() -> Here:
    """This Python, and what is installed for it."""
    own = {"", os.getcwd()}  # by `python -m` the working folder is on the path, which may be a program's
    return Here(sys.version_info[:2], installed_version(), [entry for entry in sys.path if entry not in own])
