"""Installed packages that are rewritten like the program's own files: libraries that were written for TensorFlow 1."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Iterable

from tf1mem.errors import MissingPackageError, ScriptError
from tf1mem.runner.territory import TENSORFLOW, recorded

FLAG = "--with-package"


def check(names: Iterable[str]) -> None:
    """Refuses packages that can't be rewritten, before anything of the program runs.

    Args:
        names: Names of the packages, as programs import them.

    Raises:
        MissingPackageError: There is no such package.
        ScriptError: It is TensorFlow, or it is loaded already.
    """
    for name in names:
        option = f"{FLAG} {name}" if name.strip() else f"{FLAG} {name!r}"
        if not name.strip():
            raise ScriptError(option, "it names no package", "Give the name by which programs import it")
        if name in TENSORFLOW:
            raise ScriptError(option, "it is TensorFlow's own", "Leave it out: the program gets tf1mem.v1 in its place")
        if name in sys.modules:
            raise ScriptError(option, "it is loaded already", "Name it before it is imported")
        if not name.isidentifier() or find_spec(name) is None:
            raise MissingPackageError(option, "there is no such package", _remedy(name))


def _remedy(name: str) -> str:
    """Returns the remedy for a name that can't be imported; it may be pip's name of the package."""
    imported = sorted({top for entry in sys.path for top in recorded(entry, name)} - {"__pycache__"})
    imported = [top for top in imported if top.isidentifier()]
    if imported:
        return "pip's {} is imported as: {}".format(name, ", ".join(imported))
    if "." in name:
        return "Give the name up to the first dot: {} {}".format(FLAG, name.partition(".")[0])
    return "Install it, or give the name by which programs import it"


def as_text(names: Iterable[str]) -> str:
    """Returns a line with the packages that were rewritten like the program's own; "" if none.

    Args:
        names: Names of the packages, as programs import them.
    """
    shown = (name if name in sys.modules else f"{name} (not imported)" for name in dict.fromkeys(names))
    line = ", ".join(shown)
    return line and f"treated as the program's own, by {FLAG}: {line}"
