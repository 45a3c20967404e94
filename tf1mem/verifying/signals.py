"""Makes SIGTERM and SIGHUP end this process by an exception, so that it ends its processes and removes its files."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import Iterator


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Makes SIGTERM and SIGHUP raise `SystemExit` in the context, as SIGINT raises `KeyboardInterrupt`.

    A signal that is ignored or has a handler already is left alone; outside the main thread all are.
    """

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    before = [(number, signal.signal(number, end)) for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
