"""Doing something in a copy of this process, so that nothing of it is left here.

Tracing a step may create variables, build a model's optimizer, or start TensorFlow's runtime (a GradientTape does):
in a forked child all of that ends with the child. It only builds graphs there, which needs none of the threads
that a fork leaves behind, but for the locks that these may hold: `settle` sees to them.
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
        limit_s: Seconds after which it goes on all the same: a program may have threads that never sleep.
    """
    until, calm = time.monotonic() + limit_s, 0
    while calm < 2 and time.monotonic() < until:  # twice: they are looked at one after another
        calm = calm + 1 if _others_sleep() else 0
        time.sleep(0.001)


def _others_sleep() -> bool:
    awake = 0
    for task in os.listdir(_TASKS) if os.path.isdir(_TASKS) else ():
        try:
            with open(f"{_TASKS}/{task}/stat", "rb") as stat:
                awake += stat.read().rpartition(b")")[2].split()[0] != b"S"
        except OSError:
            pass  # it ended meanwhile
    return awake <= 1  # this one


def in_copy(act: Callable[[], None], time_limit_s: float) -> int | None:
    """Calls something in a forked copy of this process.

    Args:
        act: It takes care of its own errors.
        time_limit_s: Seconds after which the copy is ended.

    Returns:
        The status it ended with, as os.waitpid tells it; None if it didn't end in time.
    """
    sys.stdout.flush()  # else what waits there would be printed twice
    sys.stderr.flush()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12: threads are there
        warnings.simplefilter("ignore", RuntimeWarning)  # of JAX, which Keras 3 may have imported
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
        ended = bool(select.select([reading], [], [], max(time_limit_s, 0))[0])  # its other end closes with its process
    finally:
        os.close(reading)
        if not ended:
            os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
    return status if ended else None
