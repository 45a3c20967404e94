"""The installed TensorFlow: its version, read without importing it, and its names.

Versions are parsed as people and vendors write them: candidates, nightlies and suffixes count as the release in front.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from packaging.version import InvalidVersion, Version

from tf1mem.errors import SettingError, TensorFlowNotFoundError, TensorFlowTooOldError
from tf1mem.machine.distributions import stated_versions
from tf1mem.machine.versions import OLDEST

# The advice if TensorFlow is missing: the newest, with Keras 2 and estimators, which old programs may need.
INSTALL = "pip install 'tf1mem[tensorflow]'"

_OLDEST = "{}.{}".format(*OLDEST)


def parse_version(text: Any) -> Version:
    """Parses a TensorFlow version: releases, candidates, nightlies, vendor suffixes.

    Raises:
        SettingError: The text isn't a version.
        TensorFlowTooOldError: The version is older than 1.13.
    """
    try:
        version = Version(str(text))
    except ValueError:  # InvalidVersion, or a number of thousands of digits
        # "2.4.0-tf", "1.15.2+nv20.03 (custom)": the release in front counts.
        release = re.match(r"\s*v?(\d{1,9}\.\d{1,9}(?:\.\d{1,9})?)", str(text))
        if release is None:
            raise SettingError(f"tensorflow={text!r}", "is not a version", "Give one such as '2.21.0'") from None
        version = Version(release.group(1))
    if version.release[:2] < OLDEST:
        raise TensorFlowTooOldError(
            f"TensorFlow {text}",
            f"is older than {_OLDEST}, the oldest that tf1mem knows",
            f"pip install 'tensorflow>={_OLDEST}'",
        )
    return version


def installed_version() -> Version | None:
    """Returns the version of the installed TensorFlow, read without importing it.

    Returns:
        The version, or None if no TensorFlow is installed or its version can't be read.
    """
    parsed = map(parse_leniently, stated_versions())
    return next((version for version in parsed if version is not None), None)


def parse_leniently(text: Any) -> Version | None:
    """Returns the version in a text, or the release at its start, or None if there is none."""
    try:
        return Version(str(text))
    except InvalidVersion:
        release = re.match(r"\d+\.\d+(\.\d+)?", str(text))
        return Version(release.group(0)) if release else None


def check_installed() -> None:
    """Checks that a TensorFlow is installed, without importing it.

    Raises:
        TensorFlowNotFoundError: None is installed.
        TensorFlowTooOldError: TensorFlow is older than 1.13.
    """
    from importlib.machinery import PathFinder

    version = installed_version()
    if version is not None:
        parse_version(version)
    elif PathFinder.find_spec("tensorflow") is None:
        raise _not_found()


def _not_found() -> TensorFlowNotFoundError:
    return TensorFlowNotFoundError("tensorflow", f"is not installed for {sys.executable}", INSTALL)


def import_tensorflow() -> Any:
    """Imports the installed TensorFlow, and returns it.

    Raises:
        TensorFlowNotFoundError: None is installed.
        TensorFlowTooOldError: TensorFlow is older than 1.13.
    """
    try:
        import tensorflow as tf
    except ImportError as error:
        if error.name != "tensorflow":
            raise  # TensorFlow is installed, and its own import fails: its message says more
        raise _not_found() from None
    if not hasattr(tf, "__version__") and not hasattr(tf, "compat"):
        raise TensorFlowNotFoundError(
            "tensorflow",
            "{} is not TensorFlow".format(getattr(tf, "__path__", tf)),
            f"Rename that folder, or {INSTALL}",
        )
    if lookup(tf, "compat.v1.ConfigProto") is None:  # there since 1.13, whatever the version says
        parse_version(getattr(tf, "__version__", "0"))
    return tf


def is_tf1(tf: Any) -> bool:
    """Returns True for TensorFlow 1, whatever its version says."""
    return has(tf, "Session")


def lookup(tf: Any, name: str) -> Any:
    """Returns `tf.<name>`, or None if any part of it is missing."""
    value = tf
    # TensorFlow 2's modules keep every name string that is looked up: interned, it is the same object each time.
    for part in map(sys.intern, name.split(".")):
        try:
            value = getattr(value, part, None)
        except ImportError:  # a lazily loaded part that isn't installed
            return None
        if value is None:
            return None
    return value


def has(tf: Any, name: str) -> bool:
    """Returns True if there is a `tf.<name>`."""
    # 1.15 logs a warning when a deprecated name is looked up, so top-level names are read from `dir`.
    return name in dir(tf) if "." not in name else lookup(tf, name) is not None
