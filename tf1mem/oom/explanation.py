"""`explain_oom`: adds a note to out-of-memory errors that pass through it, and to those that end a thread meanwhile."""

from __future__ import annotations

import functools
import sys
import threading
from types import TracebackType
from typing import Any, Callable, TypeVar

from tf1mem.hooks.finder import when_loaded
from tf1mem.hooks.wrappers import call_before
from tf1mem.oom import origins, snapshots, uncaught
from tf1mem.oom.oom_errors import TITLE, add_note, note_of, out_of_memory_in, request_of

_Function = TypeVar("_Function", bound=Callable[..., Any])

_thread = threading.local()  # its `explaining` is True while a thread explains an error
_sessions_watched = False


class explain_oom:  # noqa: N801 - used as contextlib's own, like a function
    """Explains TensorFlow's out-of-memory errors: `with tf1mem.explain_oom():`, or `@tf1mem.explain_oom()`.

    The error gets a note (PEP 678) with the GPU, the size of the request, the cap and who set it, the memory in use,
    other processes that hold memory there, and what would help. The exception, its type, its text and its traceback
    stay the same. Python 3.11 and up shows notes with the traceback; before that, the note is printed after the
    traceback of an uncaught error. `tf1mem.oom.note_of(error)` returns the note.

    Explaining never raises, and never allocates GPU memory. Facts that can't be read are listed in the note.
    """

    def __enter__(self) -> explain_oom:
        snapshots.start()
        uncaught.watch_threads(explain)
        try:
            origins.record()
            _watch_sessions()
        except Exception:
            pass  # a TensorFlow with other internals: only the line that set the cap stays unknown
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is not None:
                explain(error)
        finally:
            uncaught.leave_threads()
            snapshots.stop()

    def __call__(self, function: _Function) -> _Function:
        """Returns the function with its errors explained; takes coroutine and generator functions too."""
        import inspect

        wrapped: Any
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def wrapped(*args: Any, **kwargs: Any) -> Any:
                with explain_oom():
                    return await function(*args, **kwargs)

        elif inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def wrapped(*args: Any, **kwargs: Any) -> Any:
                with explain_oom():
                    return (yield from function(*args, **kwargs))

        else:

            @functools.wraps(function)
            def wrapped(*args: Any, **kwargs: Any) -> Any:
                with explain_oom():
                    return function(*args, **kwargs)

        return wrapped  # type: ignore[no-any-return]


def explain(error: BaseException) -> None:
    """Adds the note, once, to an out-of-memory error, or to the out-of-memory error that led to `error`."""
    if getattr(_thread, "explaining", False):
        return  # the diagnosis itself runs and closes a Session, which leads here again
    _thread.explaining = True
    try:
        short = out_of_memory_in(error)
        if short is None or note_of(short) is not None:
            return
        try:
            text = _note(short)
        except Exception as failure:  # a failed explanation must not hide the program's error
            text = f"{TITLE}\n  could not be explained: {type(failure).__name__}: {failure}"
        add_note(short, text)
        uncaught.show_when_uncaught(short, text)
    except Exception:
        pass  # an error type that accepts no note
    finally:
        _thread.explaining = False


def _note(error: BaseException) -> str:
    from tf1mem.oom import advice, diagnosis, note

    request = request_of(error)
    assert request is not None
    shortage = diagnosis.diagnose(error, request)
    return note.text(shortage, advice.judge(shortage))


def _watch_sessions() -> None:
    """Explains an error before it closes its Session; hooks Sessions once, for the rest of the process.

    `with tf.Session() as sess:` closes the Session on the error's way out. After that, neither the memory in use nor
    the device's limit can be read any more.
    """
    global _sessions_watched
    if _sessions_watched:
        return
    _sessions_watched = True

    def leaving(_session: Any, _kind: Any, error: Any, _trace: Any) -> None:
        if error is not None and uncaught.is_watching():
            explain(error)

    def closing(session: Any) -> None:
        leaving(session, None, sys.exc_info()[1], None)

    def loaded(module: Any) -> None:
        call_before(module.Session, "__exit__", leaving)  # it calls `close` in another thread, without the error
        call_before(module.BaseSession, "close", closing)

    when_loaded("python.client.session", loaded)
