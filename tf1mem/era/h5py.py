"""Repairs for h5py: without a mode, `File` opened for reading and writing up to 2.10, and for reading only since."""

from __future__ import annotations

import ast
import os
from typing import Any, Callable

from tf1mem.era.repairs import changed


def _file(note: Callable[[], None], original: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
    """Opens a file as h5py 2 did without a mode: for reading and writing, else for reading; creates a missing one.

    Args:
        note: Records the repair.
        original: `h5py.File`.
        name: The file's path, or a file object.
        *args: Further arguments of `h5py.File`, of which the first is the mode.
        **kwargs: Further arguments of `h5py.File`.
    """
    if args or "mode" in kwargs:
        return original(name, *args, **kwargs)
    note()
    try:
        return original(name, "r+", **kwargs)
    except OSError:
        if _exists(name):
            return original(name, "r", **kwargs)
        return original(name, "w-", **kwargs)


def _exists(name: Any) -> bool:
    try:
        return os.path.exists(name)
    except TypeError:  # a file object
        return True


def _has_no_mode(call: ast.Call) -> bool:
    """Returns True for a call that may have no mode; `_file` looks at those with *args or **kwargs again."""
    return len(call.args) < 2 and not any(keyword.arg == "mode" for keyword in call.keywords)


REPAIRS = tuple(
    changed("h5py", "h5py 3.0", "opens for reading", "without a mode", _has_no_mode, hint=b"h5py", File=_file)
)
