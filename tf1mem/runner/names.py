"""Which names of TensorFlow lead where, in a program that is run by `tf1mem run`."""

from __future__ import annotations

from typing import AbstractSet

HOME = "tf1mem.v1"

# Where each root leads. TensorFlow 1.15 to 2.1 also had the name tensorflow_core, which editors imported from.
ROOTS = {"tensorflow": HOME, "tensorflow_core": HOME, "keras": HOME + ".keras"}

_TF1_API = ["compat", "v1"]
_TF2_API = ["compat", "v2"]


def new_name(dotted: str, roots: AbstractSet[str]) -> str | None:
    """Says where the module `dotted` leads, or None if it stays what it is.

    Args:
        dotted: An absolute module name, as in an import statement.
        roots: The roots (keys of `ROOTS`) that are rewritten in this process.
    """
    root, *rest = dotted.split(".")
    if root not in roots:
        return None
    while rest[:2] == _TF1_API:
        del rest[:2]
    if rest[:2] == _TF2_API:
        return None  # the program asks for TF2's API by name: it gets it
    return ".".join([ROOTS[root], *rest])
