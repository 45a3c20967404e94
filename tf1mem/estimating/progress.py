"""Shows a command's progress in one line on a terminal, since a large model takes a minute."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import Callable, Iterator

ShowStage = Callable[[str], None]
_CLEAR = "\r\x1b[K"


@contextmanager
def progress(name: str) -> Iterator[ShowStage]:
    """Yields a function that shows a stage on one line of standard error, which is cleared in the end.

    It shows nothing if standard error isn't a terminal.

    Args:
        name: The command's name, with which the line begins.
    """
    stream, start = sys.stderr, time.monotonic()
    if stream is None or not stream.isatty():
        yield lambda stage: None
        return

    def show(stage: str) -> None:
        stream.write(f"{_CLEAR}{name}, {time.monotonic() - start:.0f} s: {stage}")
        stream.flush()

    try:
        yield show
    finally:
        stream.write(_CLEAR)
        stream.flush()
