"""--config and --report: what is kept ready before the program starts, and told after it has ended."""

from __future__ import annotations

import atexit
import os
import sys
from typing import Any, NoReturn

from tf1mem.applying.apply import report
from tf1mem.applying.pending import apply_if_none, close_pending
from tf1mem.cli.outcome import BAD_INPUT, complain
from tf1mem.errors import Tf1memError


def keep_ready(config: Any) -> None:
    """Keeps settings ready for a program that brings none.

    They are applied when the runtime starts, not before: what the program does first, such as setting
    CUDA_VISIBLE_DEVICES or forking workers, has to count.

    Args:
        config: Anything that `tf1mem.apply` takes.
    """
    apply_if_none(config, _give_up)


def _give_up(error: Tf1memError) -> NoReturn:
    """Ends the program: the settings that it was to run under can't hold here."""
    complain(error)
    raise SystemExit(BAD_INPUT)


def report_at_exit() -> None:
    """Prints the report to stderr when this process, not a child forked from it, ends."""
    process = os.getpid()
    stream = sys.stderr

    def show() -> None:
        if os.getpid() != process:
            return
        try:
            close_pending()
            print(report().as_text(), file=stream, flush=True)
        except (OSError, ValueError):
            pass  # stderr is closed, or nobody reads it any more

    atexit.register(show)
