"""Environment variables that a script sets while it runs: TensorFlow, CUDA and Keras read them once."""

from __future__ import annotations

import os
import sys
from typing import Any

from . import hooks, lines, record
from .names import matters


def snapshot() -> dict[str, str]:
    """The variables that matter, as they stand."""
    return {name: value for name, value in os.environ.items() if matters(name)}


def follow() -> None:
    """Notes from here on the line that sets such a variable, and what was loaded by then."""
    class_ = type(os.environ)
    set_item = class_.__setitem__

    def noting(self: Any, name: Any, value: Any) -> None:
        set_item(self, name, value)
        if self is os.environ and isinstance(name, str) and matters(name) and not lines.in_tensorflow():
            record.write(
                "variable",
                name=name,
                value=str(value),
                where=lines.place(),
                late=hooks.is_started(),
                loaded=[module for module in ("tensorflow", "keras", "tf_keras") if module in sys.modules],
            )

    class_.__setitem__ = noting  # type: ignore[method-assign]
