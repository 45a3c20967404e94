"""One progress bar, on a terminal."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_FIRST_S = 0.3  # what is done sooner needs no bar
_EVERY_S = 0.1


@contextmanager
def bar(console: Console) -> Iterator[Callable[[int, int | None], None]]:
    """Shows a bar while the block runs, and takes it away.

    It is drawn from the calls, not by a thread: workers are forked, and a copy of a process with threads may hang.

    Args:
        console: Where it is shown; what else is printed there meanwhile appears above it.

    Yields:
        What to call with how many are done, and of how many, or None while that isn't known.
    """
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    )  # fmt: skip
    progress = Progress(
        *columns, console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
    )
    task = progress.add_task("Rewriting", total=None)
    due = time.monotonic() + _FIRST_S
    started = False

    def tell(done: int, total: int | None) -> None:
        nonlocal due, started
        now = time.monotonic()
        if now < due:
            return
        due = now + _EVERY_S
        if not started:
            progress.start()
            started = True
        progress.update(task, completed=done, total=total)
        progress.refresh()

    try:
        yield tell
    finally:
        if started:
            progress.stop()
