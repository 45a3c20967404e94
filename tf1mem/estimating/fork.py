"""Doing something in a copy of this process, so that nothing of it is left here.

Tracing a step may create variables, build a model's optimizer, or start TensorFlow's runtime (a GradientTape does):
in a forked child all of that ends with the child. It only builds graphs there, which needs none of the threads
that a fork leaves behind.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import warnings
from typing import Callable


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
