"""What `pip install 'tf1mem[codemod]'` brings: whether it is here."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Iterable

from tf1mem.errors import MissingPackageError

# What a file is rewritten with: what is imported, and what it is installed as.
CODEMOD = (("tree_sitter", "tree-sitter"), ("tree_sitter_python", "tree-sitter-python"))


def check_codemod(asked: str, more: Iterable[tuple[str, str]] = ()) -> None:
    """Refuses what the codemod is asked where it can't run.

    Args:
        asked: What is asked, for the error.
        more: What it takes beside `CODEMOD`.

    Raises:
        MissingPackageError: Python is too old, or a package is missing.
    """
    if sys.version_info < (3, 10):
        raise MissingPackageError(
            asked,
            "needs Python 3.10 or newer, and this is {}.{}".format(*sys.version_info[:2]),
            "Install it in an environment of its own, with a newer Python: "
            "it reads source of any age and needs no TensorFlow",
        )
    for module, package in (*CODEMOD, *more):
        if find_spec(module) is None:
            raise MissingPackageError(asked, f"needs {package}, which isn't installed", "pip install 'tf1mem[codemod]'")


def check_python2(asked: str) -> None:
    """Refuses what is asked if Python 2 can't be read here.

    Args:
        asked: What is asked, for the error.

    Raises:
        MissingPackageError: fissix is missing.
    """
    if find_spec("fissix") is None:
        raise MissingPackageError(asked, "needs fissix, which isn't installed", "pip install 'tf1mem[python2]'")
