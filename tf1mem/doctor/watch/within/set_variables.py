"""Records environment variables that a script sets while it runs, which TensorFlow, CUDA and Keras read only once."""

from __future__ import annotations

import os
import sys
from typing import Any, Iterable

from . import hooks, lines, record

_relevant: frozenset[str] = frozenset()


def is_own(name: str) -> bool:
    """Returns True for a variable with tf1mem's prefix, but not for those that reach children of tf1mem's commands."""
    others = ("TF1MEM_SIM_", "TF1MEM_DOCTOR_", "TF1MEM_RUN_", "TF1MEM_VERIFY_")
    return name.startswith("TF1MEM_") and not name.startswith(others)


def snapshot() -> dict[str, str]:
    """Returns the variables that matter, with their current values."""
    return {name: value for name, value in os.environ.items() if _matters(name)}


def follow(relevant: Iterable[str]) -> None:
    """Records from here on each assignment to a variable that matters: its line, and the packages loaded by then.

    Args:
        relevant: variables that matter, without tf1mem's own.
    """
    global _relevant
    _relevant = frozenset(relevant)
    class_ = type(os.environ)
    set_item = class_.__setitem__

    def noting(self: Any, name: Any, value: Any) -> None:
        set_item(self, name, value)
        if self is os.environ and isinstance(name, str) and _matters(name) and not lines.in_tensorflow():
            record.write(
                "variable",
                name=name,
                value=str(value),
                where=lines.place(),
                late=hooks.is_started(),
                loaded=[module for module in ("tensorflow", "keras", "tf_keras") if module in sys.modules],
            )

    class_.__setitem__ = noting  # type: ignore[method-assign]


def _matters(name: str) -> bool:
    return name in _relevant or is_own(name)
