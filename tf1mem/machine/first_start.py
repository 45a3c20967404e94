"""How and where TensorFlow's GPU runtime was first started in this process, as far as it was seen.

TensorFlow reads GPU settings once, when the first device is made, and cannot say later which line made it. So
`tf1mem.hooks.starts` notes here the first call that starts the runtime, and the line of the user's program behind it.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import NamedTuple

# Modules in whose frames the user's program is not to be looked for.
NOT_THE_USER = frozenset(
    "tensorflow tensorflow_core tensorflow_estimator keras tf_keras tf_slim tf1mem absl wrapt contextlib importlib "
    "_frozen_importlib _frozen_importlib_external functools logging threading concurrent runpy".split()
)


class RuntimeStart(NamedTuple):
    """How and where TensorFlow's runtime was started.

    Attributes:
        by: What started it, such as "an eager op" or "a Session".
        filename: The user's file, or None if no frame of the user's was on the stack.
        lineno: The line in it.
    """

    by: str
    filename: str | None
    lineno: int

    def __str__(self) -> str:
        if self.filename is None:
            return self.by
        return f"{self.by}, at {shown(self.filename)}:{self.lineno}"


# Whether TensorFlow was loaded before tf1mem was: what it did until then was not seen.
hooks_are_late = False
_first: RuntimeStart | None = None


# Held by whoever changes what TensorFlow is told, and on the way into a start: no start is to find half of it changed.
lock = threading.RLock()
_begun = 0


def begin() -> None:
    """Notes that a start has begun: from here on settings come too late. To be called with the lock held."""
    global _begun
    _begun += 1


def end() -> None:
    """Notes that a start that had begun has succeeded or failed."""
    global _begun
    with lock:
        _begun -= 1


def has_begun() -> bool:
    """Whether a start has begun and not yet ended, in any thread."""
    return _begun > 0


def _forget_in_child() -> None:
    """A lock that another thread held at the time of a fork would never be released in the child."""
    global lock, _begun
    lock, _begun = threading.RLock(), 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)


def seen() -> RuntimeStart | None:
    """The first start of the runtime that was seen in this process, if any."""
    return _first


def note(by: str) -> None:
    """Notes that the runtime was started, by the user's line on the stack; the first start counts."""
    global _first
    if _first is None:
        _first = RuntimeStart(by, *user_frame())


def note_unseen() -> None:
    """Notes that the runtime was started before the hooks were there."""
    global _first
    if _first is None:
        _first = RuntimeStart("something before tf1mem was imported (import it first to be told the line)", None, 0)


def user_frame() -> tuple[str | None, int]:
    """The file and line of the innermost frame that belongs to the user's program."""
    frame = sys._getframe(1)
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).split(".", 1)[0] not in NOT_THE_USER:
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None, 0


def shown(filename: str) -> str:
    """A notebook's cell by its number, such as "cell In[3]"; any other file as it is."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    # IPython 8 compiles cells under the names of files that aren't there; before it the names had the numbers.
    label = getattr(getattr(shell, "compile", None), "format_code_name", lambda name: None)(filename)
    return f"cell {label[1]}" if label else filename


def near(filename: str) -> str:
    """A file below this folder by its path from here, a notebook's cell by its number; any other as it is."""
    filename = shown(filename)
    try:
        here = os.path.join(os.getcwd(), "")
    except OSError:
        return filename  # this folder is gone
    path = os.path.abspath(filename)
    return path[len(here) :] if path.startswith(here) else filename
