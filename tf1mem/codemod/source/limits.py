"""Limits of depth and time for reading one file's source."""

from __future__ import annotations

import re
import signal
import threading
from contextlib import contextmanager
from typing import Any, Iterator

# The limit of CPython's tokenizer (MAXLEVEL in Parser/tokenizer.h): no file beyond it is Python.
MOST_BRACKETS = 200
# CPU time for one file. Real files take well under a second for a MiB.
SECONDS = 10.0
_SECONDS_A_MIB = 5.0
TOO_DEEP = "the source is nested too deeply to be read"
TOO_SLOW = "reading the source takes too long: stopped after {:.0f} s of CPU time"

_ALL_BUT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"()[]{}")
_PAIRS = (b"()", b"[]", b"{}")
# Strings and comments, in which brackets don't nest, and brackets.
_TOKEN = re.compile(
    rb'"""(?:[^\\]|\\.)*?(?:"""|\Z)|'
    rb"'''(?:[^\\]|\\.)*?(?:'''|\Z)|"
    rb'"(?:[^"\\\n]|\\.)*"?|'
    rb"'(?:[^'\\\n]|\\.)*'?|#[^\n]*|[(\[{]|[)\]}]",
    re.DOTALL,
)


class TookTooLong(BaseException):
    """The time limit for a file is exceeded. A BaseException, so that no `except Exception` of a rule catches it."""


def is_too_deep(source: bytes) -> bool:
    """Returns True if brackets are nested more deeply than Python accepts.

    Args:
        source: Python source, whole or broken.
    """
    brackets = source.translate(None, _ALL_BUT_BRACKETS)
    if len(brackets) <= MOST_BRACKETS:
        return False
    for _ in range(MOST_BRACKETS // 2):  # each round removes the innermost pairs
        before = len(brackets)
        for pair in _PAIRS:
            brackets = brackets.replace(pair, b"")
        if len(brackets) == before:
            break
    if len(brackets) <= MOST_BRACKETS:
        return False
    depth = 0
    for match in _TOKEN.finditer(source):
        token = match.group()
        if token in b"([{":
            depth += 1
            if depth > MOST_BRACKETS:
                return True
        elif token in b")]}" and depth:
            depth -= 1
    return False


@contextmanager
def time_limit(size_bytes: int) -> Iterator[None]:
    """Limits the CPU time of a block, by the size of the file that it reads.

    Where no timer can be set (in a thread, on Windows, under another timer), there is no limit.

    Args:
        size_bytes: Size of the file in bytes.

    Raises:
        TookTooLong: The block has used more CPU time than its limit.
    """
    has_timer = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not has_timer or signal.getitimer(signal.ITIMER_PROF)[0]:
        yield
        return
    seconds = SECONDS + _SECONDS_A_MIB * (size_bytes >> 20)

    def give_up(number: int, frame: Any) -> None:
        raise TookTooLong(TOO_SLOW.format(seconds))

    before = signal.signal(signal.SIGPROF, give_up)
    try:
        # Repeated: the first signal may arrive where nothing can be raised.
        signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
