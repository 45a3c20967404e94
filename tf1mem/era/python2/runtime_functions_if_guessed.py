"""The runtime functions for a file that is taken for Python 2 only because it uses builtins such as `xrange`.

A file's first division whose result may differ from Python 3's is logged: the file may have been written for Python 3,
with `xrange` on a path that never runs.
"""

from __future__ import annotations

import logging
import sys
from typing import Any

from tf1mem.era import targets
from tf1mem.era.python2 import runtime_functions
from tf1mem.machine.first_start import near

log = logging.getLogger("tf1mem")

# The files of which a division is logged.
_reported: set[str] = set()


def __getattr__(name: str) -> Any:
    return getattr(runtime_functions, name)


def divided(a: Any, b: Any) -> Any:
    """Returns `a / b` as Python 2 divides: integers give an integer."""
    _warn(a, b)
    return runtime_functions.divided(a, b)


def divided_in_place(a: Any, b: Any) -> Any:
    """Returns the value of `a` after `a /= b`, as Python 2 divides."""
    _warn(a, b)
    return runtime_functions.divided_in_place(a, b)


def _warn(a: Any, b: Any) -> None:
    """Logs a division of integers before it runs, if it is the first of its file that may have a remainder.

    Errors are ignored: the division itself raises them again.
    """
    try:
        if runtime_functions.is_integral(a) and runtime_functions.is_integral(b):
            frame = sys._getframe(2)  # the caller of `divided`: the program's code, or `targets` for `x[i] /= b`
            if frame.f_code.co_filename == targets.__file__ and frame.f_back is not None:
                frame = frame.f_back
            if frame.f_code.co_filename not in _reported and not _is_exact(a, b):
                _log(a, b, frame.f_code.co_filename, frame.f_lineno)
    except Exception:
        pass


def _is_exact(a: Any, b: Any) -> bool:
    """Returns True if a division has no remainder; False for tensors, since the test would add ops to the graph."""
    if isinstance(a, int) and isinstance(b, int):
        return a % b == 0
    if not all(isinstance(operand, int) or hasattr(operand, "tolist") for operand in (a, b)):
        return False
    np = sys.modules["numpy"]
    with np.errstate(all="ignore"):
        return not (np.asarray(a) % np.asarray(b)).any()


def _log(a: Any, b: Any, filename: str, line: int) -> None:
    _reported.add(filename)
    is_number = isinstance(a, int) and isinstance(b, int)
    division = f"{a} / {b} is {a // b}" if is_number else "/ divides integers"
    log.warning(
        "%s:%d: %s as in Python 2, because of the builtins that the file uses. If it was written for Python 3: "
        "from __future__ import division",
        near(filename), line, division,
    )  # fmt: skip
