"""Calls a function in a forked copy of this process, so that it leaves no effects here.

Tracing a step may create variables, build a model's optimizer, or start TensorFlow's runtime (a GradientTape does). In
a forked child all of that ends with the child. The child only builds graphs, which needs none of the threads that a
fork leaves behind. Locks that these threads held would block it, though: `settle` waits until they hold none.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
import warnings
from typing import Callable

_TASKS = "/proc/self/task"


def settle(limit_s: float = 2.0) -> None:
    """Waits until this process's other threads sleep: call it right before a fork.

    A lock that a thread holds at a fork is never freed in the copy. TensorFlow's threads take one as they start, to
    register their names, and any thread that the copy starts then waits for it without end.

    Args:
        limit_s: The longest wait in seconds, since a program may have threads that never sleep. Defaults to 2.
    """
    until, calm = time.monotonic() + limit_s, 0
    while calm < 2 and time.monotonic() < until:  # twice, since the threads are read one after another
        calm = calm + 1 if _others_sleep() else 0
        time.sleep(0.001)


def _others_sleep() -> bool:
    awake = 0
    for task in os.listdir(_TASKS) if os.path.isdir(_TASKS) else ():
        try:
            with open(f"{_TASKS}/{task}/stat", "rb") as stat:
                awake += stat.read().rpartition(b")")[2].split()[0] != b"S"
        except OSError:
            pass  # the thread ended meanwhile
    return awake <= 1  # this thread


def in_copy(act: Callable[[], None], time_limit_s: float) -> int | None:
    """Calls a function in a forked copy of this process.

    Args:
        act: The function; it handles its own errors.
        time_limit_s: The time limit in seconds, after which the copy is killed.

    Returns:
        The copy's status, as os.waitpid returns it, or None if it didn't end in time.
    """
    sys.stdout.flush()  # else buffered output would be printed twice
    sys.stderr.flush()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of a fork with threads
        warnings.simplefilter("ignore", RuntimeWarning)  # so does JAX, which Keras 3 may have imported
        settle()
        child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            act()
            status = 0
        finally:
            try:
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(status)
    os.close(writing)
    ended = False
    try:
        ended = bool(select.select([reading], [], [], max(time_limit_s, 0))[0])  # readable when the copy ends
    finally:
        os.close(reading)
        if not ended:
            os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
    return status if ended else None
