"""Records the first start of TensorFlow's GPU runtime in this process.

TensorFlow reads GPU settings once, when the first device is created, and doesn't record which line created it. So
`tf1mem.hooks.starts` records here the first call that starts the runtime, and the line of the user's program behind it.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import NamedTuple

# Packages whose frames aren't the user's program.
NOT_THE_USER = frozenset(
    "tensorflow tensorflow_core tensorflow_estimator keras keras_applications keras_preprocessing tf_keras tf_slim "
    "tf1mem absl wrapt contextlib importlib _frozen_importlib _frozen_importlib_external functools logging threading "
    "concurrent runpy".split()
)


class RuntimeStart(NamedTuple):
    """A start of TensorFlow's runtime.

    Attributes:
        by: The kind of call that started it, such as "an eager op" or "a Session".
        filename: The user's file, or None if the stack has no frame of the user's program.
        lineno: The line in that file.
    """

    by: str
    filename: str | None
    lineno: int

    def __str__(self) -> str:
        if self.filename is None:
            return self.by
        return f"{self.by}, at {shown(self.filename)}:{self.lineno}"


# True if TensorFlow was loaded before tf1mem, so that an earlier start wasn't recorded.
hooks_are_late = False
_first: RuntimeStart | None = None


# Held while settings are changed, and while a start begins, so that no start reads half of the changes.
lock = threading.RLock()
_begun = 0  # the number of starts that are under way


def begin() -> None:
    """Records that a start has begun: from here on settings come too late. The caller holds the lock."""
    global _begun
    _begun += 1


def end() -> None:
    """Records that a start that had begun has succeeded or failed."""
    global _begun
    with lock:
        _begun -= 1


def has_begun() -> bool:
    """Returns True if a start has begun and not yet ended, in any thread."""
    return _begun > 0


def _forget_in_child() -> None:
    """Replaces the lock after a fork: one that another thread held would never be released in the child."""
    global lock, _begun
    lock, _begun = threading.RLock(), 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)


def seen() -> RuntimeStart | None:
    """Returns the first recorded start of the runtime in this process, or None."""
    return _first


def note(by: str) -> None:
    """Records a start of the runtime with the user's line on the stack, if it is the first."""
    global _first
    if _first is None:
        _first = RuntimeStart(by, *user_frame())


def note_unseen() -> None:
    """Records that the runtime was started before the hooks were in place."""
    global _first
    if _first is None:
        _first = RuntimeStart("something before tf1mem was imported (import it first to see the line)", None, 0)


def user_frame() -> tuple[str | None, int]:
    """Returns the file and line of the innermost frame of the user's program; None and 0 without one."""
    frame = sys._getframe(1)
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).split(".", 1)[0] not in NOT_THE_USER:
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None, 0


def shown(filename: str) -> str:
    """Returns a file's name for messages: a notebook's cell by its number, such as "cell In[3]", others unchanged."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    # IPython 8 compiles cells under the names of files that don't exist; earlier names contained the cell's number.
    label = getattr(getattr(shell, "compile", None), "format_code_name", lambda name: None)(filename)
    return f"cell {label[1]}" if label else filename


def near(filename: str) -> str:
    """Returns a file's name for messages, like `shown`, relative to the current folder if it lies below it."""
    filename = shown(filename)
    try:
        here = os.path.join(os.getcwd(), "")
    except OSError:
        return filename  # the current folder was removed
    path = os.path.abspath(filename)
    return path[len(here) :] if path.startswith(here) else filename
