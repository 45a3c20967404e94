"""Names of the modules that a program gets in place of those it names, such as "tf1mem.v1" for "tensorflow"."""

from __future__ import annotations

from typing import AbstractSet

HOME = "tf1mem.v1"

# Replacement of each root. TensorFlow 1.15 to 2.1 also had the name tensorflow_core, which editors inserted. tf_slim is
# contrib.slim as a package; its last release, 1.1.0, fails on 2.21 in central places.
ROOTS = {
    "tensorflow": HOME,
    "tensorflow_core": HOME,
    "keras": HOME + ".keras_alone",
    "tf_slim": HOME + ".contrib.slim",
    "gym": "tf1mem.era.gym",
    "pkg_resources": "tf1mem.era.pkg_resources",
    "tensorboard": HOME + ".contrib.tensorboard",
}

# A root of which only one module is replaced, with the packages that contain it -> that module.
_ONE_MODULE = {"tensorboard": ["plugins", "projector"]}

_TF1_API = ["compat", "v1"]
_TF2_API = ["compat", "v2"]


def new_name(dotted: str, roots: AbstractSet[str]) -> str | None:
    """Returns the new name of a module; None if it keeps its name.

    Args:
        dotted: An absolute module name, as in an import statement.
        roots: The roots (keys of `ROOTS`) that are rewritten in this process.
    """
    root, *parts = dotted.split(".")
    if root not in roots:
        return None
    while parts[:2] == _TF1_API:
        del parts[:2]
    if parts[:2] == _TF2_API:
        return None  # the program names TF2's API, so it gets it
    if root in _ONE_MODULE and (not parts or parts[:2] != _ONE_MODULE[root][: len(parts)]):
        return None
    return ".".join([ROOTS[root], *parts])
