"""Lets a program recurse as deep as without tf1mem's frames below its own."""

from __future__ import annotations

import sys
from typing import Any

# Counts how deep Python can recurse from here.
_PROBE = """
depth = 0
def go():
    global depth
    depth += 1
    go()
try:
    go()
except RecursionError:
    pass
"""
# Frames of the probe that the program won't have below it: make_up_for_frames_below's own.
_OWN_FRAMES = 1


def make_up_for_frames_below() -> None:
    """Raises Python's recursion limit by the frames below the caller; the program still reads the old limit.

    The caller executes the program's code next.
    """
    limit = sys.getrecursionlimit()
    names: dict[str, Any] = {}
    exec(_PROBE, names)
    below: int = limit - 1 - names["depth"] - _OWN_FRAMES
    if below <= 0:
        return
    get, put = sys.getrecursionlimit, sys.setrecursionlimit
    put(limit + below)

    def getrecursionlimit() -> int:
        return get() - below

    def setrecursionlimit(limit: int) -> None:
        put(limit + below if isinstance(limit, int) and limit > 0 else limit)

    for function, original in ((getrecursionlimit, get), (setrecursionlimit, put)):
        function.__doc__ = original.__doc__
        function.__module__ = "sys"
        function.__qualname__ = original.__name__
    sys.getrecursionlimit, sys.setrecursionlimit = getrecursionlimit, setrecursionlimit
