"""Finds the line of the user's code that called TensorFlow, and the function of TensorFlow that it called."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any

_TENSORFLOW = frozenset("tensorflow tensorflow_core tensorflow_estimator keras tf_keras tf_slim".split())
# Modules between the user's frames and TensorFlow's, or between TensorFlow's own, that are neither.
_BETWEEN = frozenset(
    "tf1mem absl wrapt contextlib importlib _frozen_importlib _frozen_importlib_external functools "
    "threading concurrent runpy".split()
)
_WRAPPERS = frozenset("wrapper wrapped new_func error_handler op_dispatch_handler decorated filtering handler".split())
_STANDARD = os.path.dirname(os.path.realpath(os.__file__)) + os.sep


def place(call: str | None = None) -> dict[str, Any]:
    """Returns the innermost line of the user's own code on the stack, and the function that it called.

    Args:
        call: name of the called function, used if no function of TensorFlow is on the stack any more.

    Returns:
        "file" and "line" (None and 0 if no line is the user's), "call", such as "tf.constant", and "through": the
        installed package that the line called and that called TensorFlow, or None.
    """
    inner: list[FrameType] = []  # from TensorFlow outwards
    library: FrameType | None = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        top = _top(frame)
        if top in _TENSORFLOW:
            if library is None:
                inner.append(frame)
        elif top not in _BETWEEN:
            if not _is_installed(frame.f_code.co_filename):
                break
            library = library or frame
        frame = frame.f_back
    caller = frame or library
    return {
        "file": None if caller is None else caller.f_code.co_filename,
        "line": 0 if caller is None else caller.f_lineno,
        "call": _called(inner) or call,
        "through": _top(library) if library is not None and frame is not None else None,
    }


def in_tensorflow() -> bool:
    """Returns True if TensorFlow itself called the caller's caller."""
    return _top(sys._getframe(2)) in _TENSORFLOW


def _top(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).split(".", 1)[0]


def is_packaged(filename: str) -> bool:
    """Returns True if a file belongs to an environment's installed packages."""
    return not {"site-packages", "dist-packages"}.isdisjoint(filename.split(os.sep))


def _is_installed(filename: str) -> bool:
    standard = filename.startswith(("<frozen ", _STANDARD)) or os.path.realpath(filename).startswith(_STANDARD)
    return standard or is_packaged(filename)


def _called(inner: list[FrameType]) -> str | None:
    """Returns the outermost of TensorFlow's functions with a public name; else the outermost with any name."""
    outwards = [frame for frame in reversed(inner) if frame.f_code.co_name != "<module>"][:8]
    for frame in outwards:
        name = _public_name(frame)
        if name is not None:
            return name
    for frame in outwards:
        if frame.f_code.co_name not in _WRAPPERS:
            return _plain_name(frame)
    return None


def _public_name(frame: FrameType) -> str | None:
    """Returns the exported name of the function that a frame runs, through its decorators; None if it has none."""
    name = frame.f_code.co_name
    if name == "__init__":
        return _exported(type(frame.f_locals.get("self")))
    function: Any = frame.f_globals.get(name)
    for _ in range(8):
        if function is None or isinstance(function, type):
            return None
        exported = _exported(function)
        if exported is not None:
            return exported
        decorator = getattr(function, "_tf_decorator", None)
        function = getattr(function, "__wrapped__", None) or getattr(decorator, "decorated_target", None)
    return None


def _exported(symbol: Any) -> str | None:
    """Returns the name that TensorFlow's tf_export gave a function or class, as written for this TensorFlow."""
    own = getattr(symbol, "__dict__", {})
    for attribute, prefix in (("_tf_api_names", "tf."), ("_tf_api_names_v1", _v1_prefix())):
        names = [name for name in own.get(attribute) or () if not name.startswith("raw_ops.")]
        if names:
            return prefix + str(min(names, key=len))
    return None


def _v1_prefix() -> str:
    version = str(getattr(sys.modules.get("tensorflow"), "__version__", "2"))
    return "tf." if version.startswith("1.") else "tf.compat.v1."


def _plain_name(frame: FrameType) -> str:
    name = frame.f_code.co_name
    owner = frame.f_locals.get("self")
    return name if owner is None else f"{type(owner).__name__}.{name}"
