"""Versions of installed packages as text, above all TensorFlow's, read without importing any package."""

from __future__ import annotations

import os
import re
import sys

TYPE_CHECKING = False  # the finder of `import tf1mem` needs this module, and typing costs more than all of it
if TYPE_CHECKING:
    from typing import Iterator

# The names of distributions that contain TensorFlow.
DISTRIBUTIONS = re.compile(
    r"(?:tensorflow|tf|intel|nvidia)[-_.]?(?:tensorflow|nightly)?"
    r"(?:[-_.](?:gpu|cpu|macos|rocm|intel|aarch64|cpu[-_.]aws))?$"
)


def stated_versions() -> Iterator[str]:
    """Yields the texts that state the installed TensorFlow's version, the best first; none if it isn't installed."""
    loaded = getattr(sys.modules.get("tensorflow"), "__version__", None)
    if loaded is not None:
        yield str(loaded)
        return
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("tensorflow")
    for package in (spec and spec.submodule_search_locations) or ():
        for name, version in package_records(os.path.dirname(package)):
            if DISTRIBUTIONS.match(name):
                yield version
        stated = _version_in_headers(package)
        if stated:
            yield stated


def installed_release() -> tuple[int, int] | None:
    """Returns the first two numbers of the installed TensorFlow's version, or None."""
    for text in stated_versions():
        numbers = re.match(r"(\d+)\.(\d+)", text)
        if numbers:
            return int(numbers.group(1)), int(numbers.group(2))
    return None


def version_beside(module: str) -> str:
    """Returns the version of the distribution with a module's name, by its metadata beside the module; "" if none."""
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec(module)
    for package in (spec and spec.submodule_search_locations) or ():
        for name, version in package_records(os.path.dirname(package)):
            if name == module:
                return version
    return ""


def package_records(folder: str) -> list[tuple[str, str]]:
    """Returns the names and versions of the packages that have their metadata in a folder."""
    try:
        entries = [os.path.splitext(entry) for entry in os.listdir(folder)]
    except OSError:
        return []
    records = [stem.partition("-") for stem, ending in entries if ending in (".dist-info", ".egg-info")]
    return [(name, version.split("-py")[0]) for name, _, version in records if version]


def _version_in_headers(package: str) -> str:
    """Returns the version in the C headers of TensorFlow's wheels, for builds without metadata; "" without one."""
    for name in ("release_version.h", "version.h"):
        try:
            with open(os.path.join(package, "include", "tensorflow", "core", "public", name), encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError):
            continue
        numbers = [re.search(rf"#define TF_{part}_VERSION\s+(\d+)", text) for part in ("MAJOR", "MINOR", "PATCH")]
        if all(numbers):
            return ".".join(number.group(1) for number in numbers if number)
    return ""
