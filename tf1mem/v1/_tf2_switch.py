"""tensorflow.python.tf2 as TensorFlow 1 had it: which of the two holds, for programs that ask for it.

Newer TensorFlows keep that in C++, which reads TF2_BEHAVIOR once. TensorFlow 1.15 read it whenever it was asked, unless
it was told: what it was told last stood in `_force_enable` of that file, and None where it was told nothing. There it
stands here, too, and TensorFlow's own file is told as well.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from typing import Any, cast

_VARIABLE = "TF2_BEHAVIOR"


def enable() -> None:
    """Enables TensorFlow 2's behaviour."""
    _of_tensorflow().tell(True)


def disable() -> None:
    """Disables TensorFlow 2's behaviour."""
    _of_tensorflow().tell(False)


def enabled() -> bool:
    """Whether TensorFlow 2's behaviour is enabled: as was told, else as TF2_BEHAVIOR says now."""
    return _of_tensorflow().says()


def function(name: str) -> Any:
    """One of these three, or TensorFlow's own where that is TensorFlow 1's.

    Args:
        name: Which.
    """
    own = import_module("tensorflow.python.tf2")
    if not hasattr(own, "_pywrap_tf2"):
        return getattr(own, name)
    _of_tensorflow()
    return globals()[name]


class _File:
    """TensorFlow's own file."""

    def __init__(self) -> None:
        self._own = cast(Any, import_module("tensorflow.python.tf2"))
        # tf1mem.v1 has disabled it. Where TensorFlow says something else, tf.enable_v2_behavior or its like was called.
        self._known = self._own._force_enable = False

    def tell(self, state: bool) -> None:
        (self._own.enable if state else self._own.disable)()
        self._own._force_enable = self._known = state

    def says(self) -> bool:
        now = bool(self._own.enabled())
        if now != self._known:
            return now
        told = self._own._force_enable
        return os.environ.get(_VARIABLE, "0") != "0" if told is None else bool(told)


@lru_cache(maxsize=None)
def _of_tensorflow() -> _File:
    return _File()
