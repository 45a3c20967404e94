"""Counts the processes that a recorded program starts, which aren't recorded; and ends the program with its parent."""

from __future__ import annotations

import multiprocessing.process
import os
import signal
import subprocess
import sys
import threading
from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around
from tf1mem.machine import child

_PR_SET_PDEATHSIG = 1  # prctl's option for the signal that a process gets when its parent ends


class Children:
    """Counts forks, processes of `multiprocessing`, and commands that run a Python.

    Args:
        counted: Function called after each start, with the number of processes so far.
        forked: Function called in each forked process.
    """

    def __init__(self, counted: Callable[[int], None], forked: Callable[[], None]) -> None:
        self._counted, self._starter, self._started = counted, threading.local(), 0
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_parent=self._count, after_in_child=forked)
        put_around(multiprocessing.process.BaseProcess, "start", self._around(lambda _: True))
        put_around(subprocess.Popen, "__init__", self._around(_runs_python))
        put_around(os, "system", self._around(_runs_python))

    def _around(self, counts: Callable[[Any], bool]) -> Callable[..., Any]:
        """Returns a function that wraps one that starts processes.

        Args:
            counts: Function of the command that returns True if the process counts.
        """

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def start(*args: Any, **kwargs: Any) -> Any:
                # Of `os.system(command)` the only argument, of `Popen(self, args)` the second.
                command = kwargs.get("args", args[-1] if len(args) == 1 else args[1] if len(args) > 1 else "")
                is_inside = getattr(self._starter, "is_inside", False)
                self._starter.is_inside = True  # else the fork that starts the process would count, too
                try:
                    result = original(*args, **kwargs)
                finally:
                    self._starter.is_inside = is_inside
                if counts(command):
                    self._count()
                return result

            return start

        return make

    def _count(self) -> None:
        if not getattr(self._starter, "is_inside", False):
            self._started += 1
            self._counted(self._started)


def _runs_python(command: Any) -> bool:
    """Returns True for a command that seems to run a Python, but not for arguments that run code of tf1mem."""
    if isinstance(command, (str, bytes, os.PathLike)):
        text = os.fsdecode(command)
        return "python" in text or sys.executable in text
    parts = [os.fsdecode(part) for part in command]
    return bool(parts) and _runs_python(parts[0]) and not child.is_own(parts)


def end_with_parent() -> None:
    """Makes Linux kill this process when its parent ends: a parent that is killed can't end it itself."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
