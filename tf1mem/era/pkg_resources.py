"""A pkg_resources for a program's own files, where setuptools' is missing.

New environments have no setuptools since Python 3.12, and setuptools has no pkg_resources since 82. This module has the
parts that programs use: the versions of installed distributions, files beside a package's modules, entry points, and
the parsing of versions and requirements. `importlib.metadata` and `packaging` do the work.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from importlib import import_module
from importlib import metadata as _metadata
from typing import IO, Any, Iterable, Iterator

from packaging import requirements as _requirements
from packaging.utils import canonicalize_name
from packaging.version import Version, parse

from tf1mem.era import repair_notes
from tf1mem.era.repairs import Repair

repair_notes.note(Repair("", "pkg_resources", "setuptools 82", "", "import pkg_resources", "took out"))

parse_version = parse


class ResolutionError(Exception):
    """The base class of errors about distributions."""


class DistributionNotFound(ResolutionError):  # noqa: N818 - setuptools' name
    """A distribution isn't installed."""


class VersionConflict(ResolutionError):  # noqa: N818 - setuptools' name
    """A distribution is installed in a version that doesn't fit the requirement."""


class Requirement(_requirements.Requirement):
    """A requirement, such as "numpy>=1.18"."""

    @property
    def project_name(self) -> str:
        """The distribution's name as it is written."""
        return self.name

    @property
    def key(self) -> str:
        """The distribution's name in lower case."""
        return self.name.lower()

    @property
    def specs(self) -> list[tuple[str, str]]:
        """The conditions, each an operator and a version, such as (">=", "1.18")."""
        return [(each.operator, each.version) for each in self.specifier]

    @staticmethod
    def parse(text: str) -> Requirement:
        """Returns the requirement that a text states.

        Raises:
            packaging.requirements.InvalidRequirement: The text states none. This is a ValueError.
        """
        return Requirement(text)


class Distribution:
    """An installed distribution.

    Args:
        distribution: The `importlib.metadata.Distribution`.

    Attributes:
        project_name: The name as the distribution writes it.
        key: The name in lower case.
        version: The version as text.
    """

    def __init__(self, distribution: Any) -> None:
        self._distribution = distribution
        self.project_name: str = distribution.metadata["Name"]
        self.key = self.project_name.lower()
        self.version: str = distribution.version

    @property
    def parsed_version(self) -> Version:
        """The version as a `packaging.version.Version`, which can be compared."""
        return parse(self.version)

    @property
    def location(self) -> str:
        """The folder that the distribution is installed in."""
        return str(self._distribution.locate_file(""))

    def requires(self, extras: Iterable[str] = ()) -> list[Requirement]:
        """Returns the requirements whose markers are true in this Python, without an extra or with one of `extras`."""
        environments = [{"extra": extra} for extra in ("", *extras)]
        stated = map(Requirement, self._distribution.requires or ())
        return [each for each in stated if each.marker is None or any(map(each.marker.evaluate, environments))]

    def as_requirement(self) -> Requirement:
        """Returns the requirement of exactly this version."""
        return Requirement(f"{self.project_name}=={self.version}")

    def __str__(self) -> str:
        return f"{self.project_name} {self.version}"


def get_distribution(dist: str | Requirement | Distribution) -> Distribution:
    """Returns an installed distribution.

    Args:
        dist: The distribution's name, or a requirement; a `Distribution` is returned itself.

    Raises:
        DistributionNotFound: The distribution isn't installed.
        VersionConflict: The installed version doesn't fit the requirement.
        packaging.requirements.InvalidRequirement: `dist` is a text that states none. This is a ValueError.
    """
    if isinstance(dist, Distribution):
        return dist
    requirement = Requirement(dist) if isinstance(dist, str) else dist
    try:
        installed = Distribution(_metadata.distribution(requirement.name))
    except _metadata.PackageNotFoundError:
        raise DistributionNotFound(requirement, None) from None
    if not requirement.specifier.contains(installed.version, prereleases=True):
        raise VersionConflict(installed, requirement)
    return installed


def require(*requirements: Any) -> list[Distribution]:
    """Returns the installed distributions that requirements name; raises the errors of `get_distribution`."""
    return [get_distribution(each) for each in parse_requirements(requirements)]


def parse_requirements(strs: Any) -> Iterator[Requirement]:
    """Yields the requirements of a text, one to a line, or of texts in nested lists; comments are left out.

    Raises:
        packaging.requirements.InvalidRequirement: A line states none. This is a ValueError.
    """
    if not isinstance(strs, str):
        for each in strs:
            yield from parse_requirements(each if not isinstance(each, Requirement) else str(each))
        return
    for line in strs.splitlines():
        stated = line.partition(" #")[0].strip()
        if stated and not stated.startswith("#"):
            yield Requirement(stated)


def iter_entry_points(group: str, name: str | None = None) -> Iterator[Any]:
    """Yields the entry points of a group, each with `name` and `load()`.

    Args:
        group: The group, such as "console_scripts".
        name: The name of the entry points to yield; None for all.
    """
    every: Any = _metadata.entry_points()
    for each in every.select(group=group) if hasattr(every, "select") else every.get(group, ()):
        if name is None or each.name == name:
            yield each


class WorkingSet:
    """The installed distributions."""

    def __iter__(self) -> Iterator[Distribution]:
        return (Distribution(each) for each in _metadata.distributions() if each.metadata["Name"])

    @property
    def by_key(self) -> dict[str, Distribution]:
        """The distributions by their names in lower case."""
        return {each.key: each for each in self}

    def find(self, req: Requirement) -> Distribution | None:
        """Returns the distribution of a requirement; None if it isn't installed.

        Raises:
            VersionConflict: The installed version doesn't fit the requirement.
        """
        try:
            return get_distribution(req)
        except DistributionNotFound:
            return None

    def require(self, *requirements: Any) -> list[Distribution]:
        """Does what the module's `require` does."""
        return require(*requirements)

    def iter_entry_points(self, group: str, name: str | None = None) -> Iterator[Any]:
        """Does what the module's `iter_entry_points` does."""
        return iter_entry_points(group, name)


working_set = WorkingSet()


def __getattr__(name: str) -> Any:
    message = f"tf1mem's pkg_resources has no {name!r}. Install that of setuptools: pip install 'setuptools<82'"
    raise AttributeError(message)


def _path(package_or_requirement: Any, resource_name: str) -> str:
    """Returns the path of a package's file, or of the package's folder if `resource_name` is "".

    Args:
        package_or_requirement: The name of a module; or a `Requirement`, for the package with the distribution's name.
        resource_name: The file's path beside that module, with "/".
    """
    if isinstance(package_or_requirement, Requirement):
        name = canonicalize_name(package_or_requirement.name).replace("-", "_")
    else:
        name = package_or_requirement
    module = sys.modules.get(name) or import_module(name)
    folder = os.path.dirname(getattr(module, "__file__", None) or next(iter(module.__path__)) + os.sep)
    return os.path.join(folder, *resource_name.split("/")) if resource_name else folder


def resource_filename(package_or_requirement: Any, resource_name: str) -> str:
    """Returns the path of a package's file, which need not exist.

    Args:
        package_or_requirement: The name of a module of the package, often `__name__`; or a `Requirement`, for the
            package with the distribution's name.
        resource_name: The file's path beside that module, with "/"; "" for the folder.
    """
    return _path(package_or_requirement, resource_name)


def resource_exists(package_or_requirement: Any, resource_name: str) -> bool:
    """Returns True if a package has a file or folder of this name; for the arguments see `resource_filename`."""
    return os.path.exists(_path(package_or_requirement, resource_name))


def resource_isdir(package_or_requirement: Any, resource_name: str) -> bool:
    """Returns True if a package has a folder of this name."""
    return os.path.isdir(_path(package_or_requirement, resource_name))


def resource_listdir(package_or_requirement: Any, resource_name: str) -> list[str]:
    """Returns the names of the files and folders in a package's folder."""
    return os.listdir(_path(package_or_requirement, resource_name))


def resource_string(package_or_requirement: Any, resource_name: str) -> bytes:
    """Returns the bytes of a package's file."""
    with resource_stream(package_or_requirement, resource_name) as stream:
        return stream.read()


def resource_stream(package_or_requirement: Any, resource_name: str) -> IO[bytes]:
    """Returns a package's file, opened for reading bytes."""
    return open(_path(package_or_requirement, resource_name), "rb")


def declare_namespace(packageName: str) -> None:  # noqa: N803 - setuptools' name
    """Lets a package's modules lie in several folders of `sys.path`."""
    module = sys.modules[packageName]
    module.__path__ = pkgutil.extend_path(module.__path__, packageName)  # type: ignore[assignment]
