"""Suppresses TensorFlow's own log, which would clutter tf1mem's output.

Run as a program, this module is a filter: it copies standard input to stderr, without the lines of TensorFlow's log.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

_LEVEL, _FATAL = "TF_CPP_MIN_LOG_LEVEL", "3"

_LEFT_OUT = f"TensorFlow's own log is left out ({_LEVEL}={_FATAL}); -v shows it."
_MOSTLY = f"TensorFlow's own log is left out, except for what {{}} writes at any {_LEVEL}; -v shows it."

# The start of Abseil's log lines that are less than fatal, and of its first warning.
_LOGGED = rb"[IWE]\d{4} [\d:.]+ +\d+ \S+:\d+\] |WARNING: All log messages before absl::InitializeLog\(\)"
_LOADS_WITH_LOG = (2, 17)
_DEAF = ((2, 18), (2, 19), (2, 20))  # the variable doesn't reach Abseil, which writes part of the log
_ENDING_S = 1


def leave_out() -> bool:
    """Restricts TensorFlow's log to fatal errors, unless TF_CPP_MIN_LOG_LEVEL is set already.

    Returns:
        True if this call suppresses the log. TensorFlow reads the variable when it first logs.
    """
    if _LEVEL in os.environ:
        return False
    os.environ[_LEVEL] = _FATAL
    from tf1mem.hooks import finder
    from tf1mem.machine.tensorflow import installed_version

    version = installed_version()
    if version is not None and version.release >= _LOADS_WITH_LOG:
        finder.around_import = sieved
    return True


def what_is_left_out() -> str:
    """Returns the remark about the suppressed log, after TensorFlow's import; "" if the program has reset the level."""
    from tf1mem.machine.tensorflow import installed_version

    version = installed_version()
    if os.environ.get(_LEVEL) != _FATAL or version is None:
        return ""
    return _MOSTLY.format(version) if version.release[:2] in _DEAF else _LEFT_OUT


@contextmanager
def sieved() -> Iterator[None]:
    """Filters TensorFlow's log out of stderr while its libraries load, which log before they read the level.

    Another process filters, so that a library's last words still come through if it ends this process.
    """
    import subprocess

    from tf1mem.machine.child import LEFT_ALONE

    try:
        stderr = os.dup(2)
        sieve = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, **LEFT_ALONE},
        )  # fmt: skip
    except (OSError, TypeError, ValueError):  # no stderr, or no Python to start
        sieve = None
    if sieve is None or sieve.stdin is None:
        yield
        return
    os.dup2(sieve.stdin.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        sieve.stdin.close()
        try:
            sieve.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            pass  # a child process started meanwhile still holds the pipe open


def _sieve() -> None:
    import re

    for line in sys.stdin.buffer:
        if not re.match(_LOGGED, line):
            sys.stderr.buffer.write(line)
            sys.stderr.buffer.flush()


if __name__ == "__main__":
    _sieve()
