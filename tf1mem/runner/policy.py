"""Decides which files are rewritten in this process, and for which roots of imports, such as "tensorflow"."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from typing import AbstractSet

from tf1mem.runner.module_names import ROOTS
from tf1mem.runner.territory import Territory

# The first gym whose `step` returns five values.
_FIRST_OF_FIVE = (0, 26)

_NO_ROOTS: AbstractSet[str] = frozenset()


class Policy:
    """Decides what to rewrite. The roots are chosen at the first file that mentions one, since the search takes time.

    Args:
        territory: The program's own files.
        always: True to rewrite on TensorFlow 1 too, since settings are applied from outside or reported, or
            programs see another version.
        repairs: True to repair uses of what newer libraries lack.
    """

    def __init__(self, territory: Territory, always: bool, repairs: bool) -> None:
        self.territory = territory
        self.always = always
        self.repairs = repairs
        self._roots: AbstractSet[str] | None = None

    def roots(self) -> AbstractSet[str]:
        """Returns the roots to rewrite; none if TensorFlow is missing, so that Python itself reports it."""
        if self._roots is None:
            self._roots = self._chosen_roots()
        return self._roots

    def before_tensorflow(self) -> None:
        """Selects Keras 2 for TensorFlow, which an installed package may import before tf1mem.v1 does."""
        if self.roots():
            from tf1mem.machine import legacy_keras
            from tf1mem.machine.tensorflow import installed_version

            legacy_keras.select(installed_version())

    def _chosen_roots(self) -> AbstractSet[str]:
        """Returns the top modules whose imports lead to tf1mem.v1, by the TensorFlow that is installed."""
        from tf1mem.machine.tensorflow import installed_version  # imports dataclasses and packaging, so late

        version = installed_version()
        if version is None and not self._is_installed("tensorflow"):
            return _NO_ROOTS
        # A build without a version is rewritten: tf1mem.v1 works on TensorFlow 1 and 2 alike.
        on_tensorflow_1 = version is not None and (1, 13) <= version.release[:2] < (2,)
        if on_tensorflow_1 and not self.always:
            return _NO_ROOTS
        # TensorFlow 1 has its own tensorflow_core, and a separate keras of that time works with its Sessions.
        candidates = {"tensorflow"} if on_tensorflow_1 else set(ROOTS)
        candidates -= {root for root, has_own in _REPAIRED.items() if not self.repairs or has_own()}
        return frozenset(root for root in candidates if not self._is_the_programs(root))

    def _is_installed(self, root: str) -> bool:
        return _origin(root) is not None and not self._is_the_programs(root)

    def _is_the_programs(self, root: str) -> bool:
        origin = _origin(root)
        return origin is not None and self.territory.shadows(root, origin)


def _origin(root: str) -> str | None:
    """Returns the file of a module on sys.path; None without one, as for a directory that happens to have the name."""
    spec = PathFinder.find_spec(root)
    return spec.origin if spec else None


def _has_own_gym() -> bool:
    """Returns True if a gym is installed whose `step` returns four values, or any gym without gymnasium."""
    if PathFinder.find_spec("gym") is None:
        return False
    if PathFinder.find_spec("gymnasium") is None:
        return True
    try:
        from importlib.metadata import PackageNotFoundError, version
    except ImportError:  # Python 3.7 can't tell the version
        return True
    try:
        return tuple(map(int, version("gym").split(".")[:2])) < _FIRST_OF_FIVE
    except (PackageNotFoundError, ValueError):
        return True


def _has_own_pkg_resources() -> bool:
    """Returns True if pkg_resources is installed, or can't be replaced: 3.7 has no `importlib.metadata`."""
    return sys.version_info < (3, 8) or PathFinder.find_spec("pkg_resources") is not None


def _has_own_tensorboard() -> bool:
    """Returns True if TensorBoard is installed, which TensorFlow 2.21 no longer does itself."""
    return _origin("tensorboard") is not None


# A root that is a repair -> returns True if the installed package serves an old program.
_REPAIRED = {
    "gym": _has_own_gym,
    "pkg_resources": _has_own_pkg_resources,
    "tensorboard": _has_own_tensorboard,
}
