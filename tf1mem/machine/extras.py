"""Checks that the packages of `pip install 'tf1mem[cli]'` are installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Iterable

from tf1mem.errors import MissingPackageError

# The codemod's packages: the name to import, and the name to install.
CODEMOD = (("tree_sitter", "tree-sitter"), ("tree_sitter_python", "tree-sitter-python"))


def check_codemod(command: str, more: Iterable[tuple[str, str]] = ()) -> None:
    """Raises an error if the codemod can't run on this Python.

    Args:
        command: The command or function that needs it, for the error.
        more: Further packages that it needs: the name to import, and the name to install.

    Raises:
        MissingPackageError: Python is too old, or a package is missing.
    """
    if sys.version_info < (3, 10):
        raise MissingPackageError(
            command,
            "needs Python 3.10 or newer, and this is {}.{}".format(*sys.version_info[:2]),
            "Install it in a separate environment, with a newer Python: it reads "
            "source of any age and needs no TensorFlow",
        )
    for module, package in (*CODEMOD, *more):
        if find_spec(module) is None:
            reason = f"needs {package}, which isn't installed"
            raise MissingPackageError(command, reason, "pip install 'tf1mem[cli]'")


def check_python2(command: str) -> None:
    """Raises an error if Python 2 source can't be parsed here.

    Args:
        command: The command that needs it, for the error.

    Raises:
        MissingPackageError: fissix is missing.
    """
    if find_spec("fissix") is None:
        raise MissingPackageError(command, "needs fissix, which isn't installed", "pip install 'tf1mem[cli]'")
