"""Shows the notes of uncaught errors on a Python older than 3.11, and explains errors that end a thread."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Any, Callable

from tf1mem.oom.oom_errors import note_of, out_of_memory_in

_PYTHON_SHOWS_NOTES = sys.version_info >= (3, 11)
_IPYTHON_SHOWS_NOTES = (8, 14)  # on any Python; no earlier IPython does

_lock = threading.Lock()
_inside = 0  # nested calls of `watch_threads`
_put_back: Callable[[], None] | None = None
_chained = False


def show_when_uncaught(error: BaseException, note: str) -> None:
    """Prints the note after the traceback of an uncaught error, if neither Python nor IPython shows notes."""
    ipython = _ipython()
    if ipython is not None:
        if ipython < _IPYTHON_SHOWS_NOTES:
            _print(note)  # IPython prints tracebacks itself, and has no hook that several libraries can share
    elif not _PYTHON_SHOWS_NOTES:
        _chain_excepthook()


def _ipython() -> tuple[int, ...] | None:
    """Returns IPython's version in IPython or Jupyter, else None."""
    module = sys.modules.get("IPython")
    shell = getattr(module, "get_ipython", lambda: None)()
    if shell is None or getattr(shell, "leaves_errors_to_python", False):
        return None
    return tuple(getattr(module, "version_info", ())[:2])


def _chain_excepthook() -> None:
    """Wraps the current `sys.excepthook`, once, so that notes are printed after the traceback."""
    global _chained
    if _chained:
        return
    _chained = True
    show = sys.excepthook

    def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        show(kind, error, trace)
        _print_notes(error)

    sys.excepthook = excepthook


def _print_notes(error: BaseException) -> None:
    short = out_of_memory_in(error)
    note = None if short is None else note_of(short)
    if note is not None:
        _print(note)


def _print(note: str) -> None:
    try:
        print(note, file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        pass  # stderr is closed, or there is none


# --- threads ---------------------------------------------------------------------------------------------------


def watch_threads(explain: Callable[[BaseException], None]) -> None:
    """Explains errors that end a thread before Python shows them, until `leave_threads`. Calls may nest."""
    global _inside, _put_back
    with _lock:
        _inside += 1
        if _inside == 1:
            _put_back = _hook_threads(explain) if hasattr(threading, "excepthook") else _hook_python_37(explain)


def leave_threads() -> None:
    """Ends the matching `watch_threads`."""
    global _inside, _put_back
    with _lock:
        _inside -= 1
        if _inside == 0 and _put_back is not None:
            _put_back()
            _put_back = None


def is_watching() -> bool:
    """Returns True between `watch_threads` and `leave_threads`."""
    return _inside > 0


def _hook_threads(explain: Callable[[BaseException], None]) -> Callable[[], None]:
    before = threading.excepthook

    def excepthook(args: Any) -> None:
        if args.exc_value is not None:
            explain(args.exc_value)
        before(args)
        if args.exc_value is not None and not _PYTHON_SHOWS_NOTES:
            _print_notes(args.exc_value)

    threading.excepthook = excepthook
    return lambda: setattr(threading, "excepthook", before) if threading.excepthook is excepthook else None


def _hook_python_37(explain: Callable[[BaseException], None]) -> Callable[[], None]:
    """Wraps `threading._format_exc`, whose text Python 3.7 prints for a thread's error; 3.7 has no public hook."""
    before = getattr(threading, "_format_exc", None)
    if before is None:
        return lambda: None

    def format_exc(*args: Any) -> str:
        text: str = before(*args)
        error = sys.exc_info()[1]
        if error is None:
            return text
        explain(error)
        note = note_of(out_of_memory_in(error) or error)
        return text if note is None else f"{text}{note}\n"

    threading._format_exc = format_exc  # type: ignore[attr-defined]
    return lambda: setattr(threading, "_format_exc", before)
