"""Installed packages that are taken as the program's own: libraries that were written for TensorFlow 1 themselves."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Iterable

from tf1mem.errors import MissingPackageError, ScriptError
from tf1mem.runner.territory import TENSORFLOW, recorded

FLAG = "--with-package"


def check(names: Iterable[str]) -> None:
    """Refuses what can't be taken as the program's own, before anything of the program runs.

    Args:
        names: What was asked for.

    Raises:
        MissingPackageError: There is no such package.
        ScriptError: It is TensorFlow, or it is loaded already.
    """
    for name in names:
        asked = f"{FLAG} {name}" if name.strip() else f"{FLAG} {name!r}"
        if not name.strip():
            raise ScriptError(asked, "it names no package", "Give the name by which programs import it")
        if name in TENSORFLOW:
            raise ScriptError(asked, "it is TensorFlow's own", "Leave it out: the program gets tf1mem.v1 in its place")
        if name in sys.modules:
            raise ScriptError(asked, "it is loaded already", "Name it before it is imported")
        if not name.isidentifier() or find_spec(name) is None:
            raise MissingPackageError(asked, "there is no such package", _remedy(name))


def _remedy(name: str) -> str:
    """What to do about a name that can't be imported, which may be the one that pip knows the package by."""
    imported = sorted({top for entry in sys.path for top in recorded(entry, name)} - {"__pycache__"})
    imported = [top for top in imported if top.isidentifier()]
    if imported:
        return "pip's {} is imported as: {}".format(name, ", ".join(imported))
    if "." in name:
        return "Give the name up to the first dot: {} {}".format(FLAG, name.partition(".")[0])
    return "Install it, or give the name by which programs import it"


def as_text(names: Iterable[str]) -> str:
    """A line that says which packages were treated so; "" where none was.

    Args:
        names: What was asked for.
    """
    said = (name if name in sys.modules else f"{name} (not imported)" for name in dict.fromkeys(names))
    line = ", ".join(said)
    return line and f"taken as the program's own, by {FLAG}: {line}"
