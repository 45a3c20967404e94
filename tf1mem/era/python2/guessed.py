"""What a file asks while it runs that is Python 2 by the names that it asks for, and by nothing that it says.

It is `given`, and tells of the first division that comes out otherwise than in Python 3: the file may have been written
for that, with such a name where nothing comes.
"""

from __future__ import annotations

import logging
import sys
from typing import Any

from tf1mem.era.python2 import given
from tf1mem.machine.first_start import near

log = logging.getLogger("tf1mem")

# The files that were told of.
_told: set[str] = set()


def __getattr__(name: str) -> Any:
    return getattr(given, name)


def divided(a: Any, b: Any) -> Any:
    """`a / b`, of integers an integer."""
    _tell(a, b)
    return given.divided(a, b)


def divided_in_place(a: Any, b: Any) -> Any:
    """What `a /= b` leaves in `a`."""
    _tell(a, b)
    return given.divided_in_place(a, b)


def _tell(a: Any, b: Any) -> None:
    """Tells of a division to come; whatever fails here is the program's own, which is to fail in its own place."""
    try:
        if given.is_integral(a) and given.is_integral(b):
            frame = sys._getframe(2)
            if frame.f_code.co_filename not in _told and not _is_exact(a, b):
                _tell_of(a, b, frame.f_code.co_filename, frame.f_lineno)
    except Exception:
        pass


def _is_exact(a: Any, b: Any) -> bool:
    """Whether nothing remains of a division; of a tensor it isn't known, and asking it would put it into the graph."""
    if isinstance(a, int) and isinstance(b, int):
        return a % b == 0
    if not all(isinstance(one, int) or hasattr(one, "tolist") for one in (a, b)):
        return False
    np = sys.modules["numpy"]
    with np.errstate(all="ignore"):
        return not (np.asarray(a) % np.asarray(b)).any()


def _tell_of(a: Any, b: Any, filename: str, line: int) -> None:
    _told.add(filename)
    is_number = isinstance(a, int) and isinstance(b, int)
    what = f"{a} / {b} is {a // b}" if is_number else "/ divides integers"
    log.warning(
        "%s:%d: %s as in Python 2, for the builtins that the file asks for. If it was written for Python 3: "
        "from __future__ import division",
        near(filename), line, what,
    )  # fmt: skip
