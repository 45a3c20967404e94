"""Putting a function of tf1mem's in the place of one of TensorFlow's, once."""

from __future__ import annotations

import functools
from typing import Any, Callable


def wrap(owner: Any, name: str, make: Callable[[Any], Callable[..., Any]]) -> Callable[[], None]:
    """Puts a function around one of TensorFlow's, if tf1mem hasn't yet.

    Args:
        owner: The module or class that has it.
        name: Its name there.
        make: Given TensorFlow's own, returns the one that takes its place.

    Returns:
        What puts TensorFlow's own back; nothing to do where an earlier call has wrapped it.
    """
    before = getattr(owner, name)
    if hasattr(before, "tf1mem_default"):
        return lambda: None
    after: Any = functools.wraps(before)(make(before))
    after.tf1mem_default = True
    setattr(owner, name, after)
    return lambda: setattr(owner, name, before)
