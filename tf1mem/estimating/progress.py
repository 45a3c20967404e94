"""A line that says on a terminal how far a command has come: a large model takes a minute."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import Callable, Iterator

Say = Callable[[str], None]
_CLEAR = "\r\x1b[K"


@contextmanager
def progress(name: str) -> Iterator[Say]:
    """Yields a function that shows a stage, on one line of standard error that is cleared in the end.

    Where that is no terminal, it shows nothing.

    Args:
        name: The name of what runs, with which the line opens.
    """
    stream, start = sys.stderr, time.monotonic()
    if stream is None or not stream.isatty():
        yield lambda stage: None
        return

    def say(stage: str) -> None:
        stream.write(f"{_CLEAR}{name}, {time.monotonic() - start:.0f} s: {stage}")
        stream.flush()

    try:
        yield say
    finally:
        stream.write(_CLEAR)
        stream.flush()
