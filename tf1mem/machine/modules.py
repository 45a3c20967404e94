"""Modules by their dotted names: TensorFlow's own, as far as they are loaded."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing would cost more than all the rest here
if TYPE_CHECKING:
    from typing import Any

# TensorFlow 1.15 and 2.0 have most of their modules in a package of another name.
PACKAGES = ("tensorflow", "tensorflow_core")


def below(*parts: str) -> str:
    """The dotted name of a path's parts, of which empty ones are left out."""
    return ".".join(filter(None, parts))


def loaded_module(name: str) -> Any:
    """A module of TensorFlow's, if it is loaded.

    Args:
        name: Its name without the package, such as "python.eager.context".

    Returns:
        The module, or None.
    """
    for package in PACKAGES:
        module = sys.modules.get(f"{package}.{name}")
        if module is not None:
            return module
    return None
