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


class Stuck(Exception):  # noqa: N818 - says what happened
    """The copy didn't end in time."""


def in_copy(act: Callable[[], None], time_limit_s: float) -> int:
    """Calls something in a forked copy of this process.

    Args:
        act: It takes care of its own errors.
        time_limit_s: Seconds after which the copy is ended.

    Returns:
        The status it ended with, as os.waitpid tells it.

    Raises:
        Stuck: It didn't end in time.
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
    try:
        if not select.select([reading], [], [], max(time_limit_s, 0))[0]:  # its other end closes with its process
            raise Stuck
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    finally:
        os.close(reading)
    return os.waitpid(child, 0)[1]
