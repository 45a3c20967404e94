"""Hides TensorFlow's own log: all of it in tf1mem's commands, and in a user's program the log of TensorFlow's start.

For a user's program TF_CPP_MIN_LOG_LEVEL isn't set: TensorFlow reads it once, so it would also hide lines that the
program causes later, such as the requested log of where ops are placed.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import partial

from tf1mem.hooks import finder
from tf1mem.hooks.sieve import RUNS, STARTS, sieved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterator

_LEVEL, _FATAL = "TF_CPP_MIN_LOG_LEVEL", "3"  # the level that hides all but fatal errors
# The first TensorFlow whose libraries log while they load.
_LOADS_WITH_LOG = (2, 17)

# A report's remark if `was_left_out`.
REMARK = "What TensorFlow logs as it starts is left out; -v shows it."
was_left_out = False  # True if log was hidden from a user's program


def leave_out() -> None:
    """Restricts TensorFlow's log to fatal errors, unless TF_CPP_MIN_LOG_LEVEL is set.

    To be called before TensorFlow is imported, since it reads the variable once.
    """
    if _LEVEL in os.environ:
        return
    os.environ[_LEVEL] = _FATAL
    from tf1mem.machine.tensorflow import installed_version

    version = installed_version()
    if version is not None and version.release >= _LOADS_WITH_LOG:
        finder.around_import = partial(sieved, STARTS)  # its libraries log before they read the level


def leave_out_start() -> None:
    """Hides what TensorFlow logs from its import to the first run of a graph, except lines that the program causes.

    If TF_CPP_MIN_LOG_LEVEL is set, by the user or by the program, TensorFlow's log stays as it is. tf1mem's own log is
    limited to warnings, unless the program has set its level: the report shows the settings that were applied.
    """
    finder.around_import = _around_import


def hide_warnings() -> None:
    """Limits tf1mem's own log to errors, unless the program has set its level."""
    _limit_own_log("ERROR")


def _limit_own_log(level: str) -> None:
    import logging

    ours = logging.getLogger("tf1mem")
    if ours.level == logging.NOTSET:
        ours.setLevel(level)


@contextmanager
def _left_out(phase: str) -> Iterator[None]:
    """Hides TensorFlow's log of a phase, `STARTS` or `RUNS`, within the context, unless TF_CPP_MIN_LOG_LEVEL is set."""
    global was_left_out
    if _LEVEL in os.environ:
        yield
        return
    was_left_out = True
    with sieved(phase):
        yield


@contextmanager
def _around_import() -> Iterator[None]:
    """Hides the log of TensorFlow's import within the context, and prepares to hide that of its later start."""
    from tf1mem.hooks import starts

    _limit_own_log("WARNING")  # a program that logs at INFO would show what tf1mem does
    starts.around_first_start = partial(_left_out, STARTS)
    finder.when_loaded("python.eager.context", lambda module: _hide_log_of_first_call(module.Context, _LISTING, STARTS))
    finder.when_loaded("python.client.session", lambda module: _hide_log_of_first_call(module.BaseSession, "run", RUNS))
    with _left_out(STARTS):
        yield


# The eager context's method that lists the GPUs, which starts their driver. By tf.config a program may call it before
# its first Session.
_LISTING = "_initialize_physical_devices"


def _hide_log_of_first_call(owner: Any, name: str, phase: str) -> None:
    """Hides the log of the first call of a function of TensorFlow.

    Args:
        owner: The class that has the function.
        name: The function's name.
        phase: The phase of TensorFlow's log, `STARTS` or `RUNS`.
    """
    from tf1mem.hooks.wrappers import put_around

    def noting(original: Any) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            undo()
            with _left_out(phase):
                return original(*args, **kwargs)

        return call

    undo = put_around(owner, name, noting)
