"""Sessions that close because of the error: what they know is asked before they do.

`with tf.Session() as sess:` closes the Session on the error's way out, and with it goes what variables held and what
the device's limit was.
"""

from __future__ import annotations

import sys
from typing import Any, Callable

from tf1mem.hooks.finder import when_loaded
from tf1mem.hooks.wrappers import call_before

_watched = False


def watch(explain: Callable[[BaseException], None], wanted: Callable[[], bool]) -> None:
    """Has the error that a Session closes for explained first; once, and for the rest of the process.

    Args:
        explain: Adds the note to an error.
        wanted: Whether errors are to be explained now.
    """
    global _watched
    if _watched:
        return
    _watched = True

    def leaving(_session: Any, _kind: Any, error: Any, _trace: Any) -> None:
        if error is not None and wanted():
            explain(error)

    def closing(session: Any) -> None:
        leaving(session, None, sys.exc_info()[1], None)

    def loaded(module: Any) -> None:
        call_before(module.Session, "__exit__", leaving)  # which closes it in a thread, away from the error
        call_before(module.BaseSession, "close", closing)

    when_loaded("python.client.session", loaded)
