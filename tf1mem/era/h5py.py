"""Repairs for h5py, which opened a file for reading and writing up to 2.10, and opens it for reading since."""

from __future__ import annotations

import ast
import os
from typing import Any, Callable

from tf1mem.era.repairs import changed


def _file(note: Callable[[], None], original: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
    """Opens a file as h5py 2 did without a mode: for reading and writing, else for reading; creates a missing one."""
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
    return len(call.args) < 2 and not any(keyword.arg == "mode" for keyword in call.keywords)


REPAIRS = tuple(
    changed("h5py", "h5py 3.0", "opens for reading", "without a mode", _has_no_mode, hint=b"h5py", File=_file)
)
