"""tensorflow.python.tf2 as in TensorFlow 1: switches v2 behavior on and off, and tells if it is on.

Newer TensorFlows keep the switch in C++, which reads TF2_BEHAVIOR once. TensorFlow 1.15 read the variable at each call
of `enabled()`, unless `enable` or `disable` had set the module's `_force_enable` to True or False. Here the same
attribute works as in 1.15, and `enable` and `disable` also set TensorFlow's own switch.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from typing import Any, cast

_VARIABLE = "TF2_BEHAVIOR"


def enable() -> None:
    """Enables TensorFlow 2's behavior."""
    _tensorflow_switch().set(True)


def disable() -> None:
    """Disables TensorFlow 2's behavior."""
    _tensorflow_switch().set(False)


def enabled() -> bool:
    """Returns True if v2 behavior is enabled: by `enable` or `disable`, else by TF2_BEHAVIOR's value now."""
    return _tensorflow_switch().get()


def function(name: str) -> Any:
    """Returns a function of this file, or TensorFlow's own if its file still works as in TensorFlow 1.

    Args:
        name: "enable", "disable" or "enabled".
    """
    module = import_module("tensorflow.python.tf2")
    if not hasattr(module, "_pywrap_tf2"):
        return getattr(module, name)
    _tensorflow_switch()  # its first call sets `_force_enable` to False
    return globals()[name]


class _File:
    """TensorFlow's own tensorflow.python.tf2, and the state that was last set there."""

    def __init__(self) -> None:
        self._own = cast(Any, import_module("tensorflow.python.tf2"))
        # tf1mem.v1 has disabled v2 behavior. If TensorFlow's state differs from the last one set here, the program has
        # called tf.enable_v2_behavior or tf.disable_v2_behavior.
        self._last_set = self._own._force_enable = False

    def set(self, state: bool) -> None:
        (self._own.enable if state else self._own.disable)()
        self._own._force_enable = self._last_set = state

    def get(self) -> bool:
        now = bool(self._own.enabled())
        if now != self._last_set:
            return now
        forced = self._own._force_enable
        return os.environ.get(_VARIABLE, "0") != "0" if forced is None else bool(forced)


@lru_cache(maxsize=None)
def _tensorflow_switch() -> _File:
    return _File()
