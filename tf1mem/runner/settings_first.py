"""--config and --report: what is done before the program starts, and after it has ended."""

from __future__ import annotations

import atexit
import os
import sys
from types import ModuleType
from typing import Any

from tf1mem import applying
from tf1mem.runner.policy import Policy


def apply(config: Any, policy: Policy) -> None:
    """Applies settings, with TensorFlow in the state in which the program will find it.

    Args:
        config: Anything that `tf1mem.apply` takes.
        policy: Says whether the program will be given `tf1mem.v1`.
    """
    if policy.roots():
        # It turns TF2's behaviour off, which has to come before the first setting.
        import tf1mem.v1  # noqa: F401
    applying.apply(config)


def apply_once_loaded(config: Any) -> Any:
    """Makes a follower of `tf1mem.v1` that applies settings: for child processes, which may never need them."""

    def follower(module: ModuleType) -> None:
        applying.apply(config)

    return follower


def report_at_exit() -> None:
    """Prints the report to stderr when this process, not a child forked from it, ends."""
    process = os.getpid()
    stream = sys.stderr

    def show() -> None:
        if os.getpid() != process:
            return
        try:
            print(applying.report().as_text(), file=stream, flush=True)
        except (OSError, ValueError):
            pass  # stderr is closed, or nobody reads it any more

    atexit.register(show)
