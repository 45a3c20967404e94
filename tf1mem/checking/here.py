"""This Python and its installed packages, which programs are compared with. Packages are looked up, never imported."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from functools import cached_property
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, version
from typing import Iterator

from packaging.version import Version

from tf1mem.machine.tensorflow import installed_version, parse_leniently

# Module -> the module that `tf1mem run` imports instead.
_REPLACED_BY = {"gym": "gymnasium", "pkg_resources": "importlib"}


@dataclass
class Here:
    """A Python and its installed packages.

    Attributes:
        python: The Python version, such as (3, 12).
        tensorflow: TensorFlow's version; None if it isn't installed.
        path: The folders in which modules are searched.
        lacked: For each name of TensorFlow 1 that was looked up, the name that is missing here and the remedy, or None.
    """

    python: tuple[int, int]
    tensorflow: Version | None
    path: list[str]
    _modules: dict[str, bool] = field(default_factory=dict)
    _versions: dict[str, Version | None] = field(default_factory=dict)
    _folders: dict[str, str | None] = field(default_factory=dict)
    lacked: dict[str, tuple[str, str] | None] = field(default_factory=dict)

    def has_module(self, name: str) -> bool:
        """Returns True if a module outside the program can be imported, by its top-level name."""
        if name not in self._modules:
            names = {name, _REPLACED_BY.get(name, name)}  # `tf1mem run` imports the second one
            in_python = not names.isdisjoint((*sys.stdlib_module_names, *sys.builtin_module_names))
            places = (PathFinder.find_spec(module, self.path) for module in names)
            self._modules[name] = in_python or any(place is not None for place in places)
        return self._modules[name]

    def is_replaced(self, name: str) -> bool:
        """Returns True if `tf1mem run` imports another module, which is installed, instead of this one."""
        return name in _REPLACED_BY and self.has_module(_REPLACED_BY[name])

    def version_of(self, distribution: str) -> Version | None:
        """Returns the version of an installed distribution; None if it isn't installed."""
        if distribution not in self._versions:
            try:
                self._versions[distribution] = parse_leniently(version(distribution))
            except PackageNotFoundError:
                self._versions[distribution] = None
        return self._versions[distribution]

    def is_as_new(self, since: str) -> bool:
        """Returns True if the installed version is at least this one.

        Args:
            since: Name and version: "NumPy 1.24", "Python 3.12".
        """
        name, _, number = since.rpartition(" ")
        if name == "Python":
            return self.python >= tuple(map(int, number.split(".")[:2]))
        installed = self.version_of(name)
        return installed is not None and installed >= Version(number)

    @cached_property
    def tensorflow_files(self) -> str | None:
        """The folder of TensorFlow's own files, `tensorflow.python` among them; None if it isn't installed."""
        folders = (self.folder_of(package) for package in ("tensorflow", "tensorflow_core"))
        return next((folder for folder in folders if folder and os.path.isdir(os.path.join(folder, "python"))), None)

    def folder_of(self, package: str) -> str | None:
        """Returns the folder of a package's files; None if it isn't installed."""
        if package not in self._folders:
            spec = PathFinder.find_spec(package, self.path)
            self._folders[package] = next(iter((spec.submodule_search_locations or ()) if spec else ()), None)
        return self._folders[package]

    def lines(self) -> Iterator[str]:
        """Yields one line for Python and one for TensorFlow, for people."""
        yield "Python {}.{}".format(*self.python)
        yield f"TensorFlow {self.tensorflow}" if self.tensorflow else "no TensorFlow"


def here() -> Here:
    """Returns this Python with its installed packages."""
    left_out = {"", os.getcwd()}  # `python -m` puts the current folder, perhaps a program's, on the path
    return Here(sys.version_info[:2], installed_version(), [entry for entry in sys.path if entry not in left_out])
