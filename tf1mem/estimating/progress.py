"""What an estimate is at, on a terminal: a large model takes a minute."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import Callable, Iterator

Say = Callable[[str], None]
_CLEAR = "\r\x1b[K"


@contextmanager
def progress() -> Iterator[Say]:
    """Gives what says a stage, on one line of standard error that is cleared in the end; nowhere but on a terminal."""
    stream, start = sys.stderr, time.monotonic()
    if stream is None or not stream.isatty():
        yield lambda stage: None
        return

    def say(stage: str) -> None:
        stream.write(f"{_CLEAR}tf1mem.estimate, {time.monotonic() - start:.0f} s: {stage}")
        stream.flush()

    try:
        yield say
    finally:
        stream.write(_CLEAR)
        stream.flush()
