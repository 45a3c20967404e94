"""Looks up TensorFlow's loaded modules by their dotted names, and joins such names."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing typing would cost more than all the rest here
if TYPE_CHECKING:
    from typing import Any

# TensorFlow 1.15 and 2.0 have most of their modules in a package of another name.
PACKAGES = ("tensorflow", "tensorflow_core")


def dotted_name(*parts: str) -> str:
    """Returns the parts joined by dots, without empty parts."""
    return ".".join(filter(None, parts))


def loaded_module(name: str) -> Any:
    """Returns a module of TensorFlow if it is loaded.

    Args:
        name: The module's name without the package, such as "python.eager.context".

    Returns:
        The module, or None.
    """
    for package in PACKAGES:
        module = sys.modules.get(f"{package}.{name}")
        if module is not None:
            return module
    return None
