"""Starts watching: hooks TensorFlow's modules when they load, the script's error, and its end."""

from __future__ import annotations

import atexit
import os
import sys
from _thread import get_ident
from typing import Any, Callable

from . import end, hooks, record, set_variables


def begin(path: str, relevant: list[str]) -> None:
    """Watches this process from here on.

    Args:
        path: path of the record's existing file.
        relevant: environment variables that matter, without tf1mem's own.
    """
    record.open_at(path)
    set_variables.follow(relevant)
    record.write("begin", environment=set_variables.snapshot(), python=sys.version.split()[0])
    sys.meta_path.insert(0, _Finder())  # type: ignore[arg-type]
    process = os.getpid()

    def at_end() -> None:
        if os.getpid() != process:
            return  # a forked child
        error = getattr(sys, "last_value", None)
        if error is not None and not end.is_error_noted():  # printed by the script's own excepthook
            end.note_error(error, getattr(sys, "last_traceback", None))
        end.note_end()

    # Registered again when the runtime starts: later registrations run earlier, while TensorFlow is still intact.
    hooks.when_started(lambda: atexit.register(at_end))
    atexit.register(at_end)
    show = sys.excepthook

    def excepthook(kind: Any, error: BaseException, trace: Any) -> None:
        error.__traceback__ = trace = end.without_ours(trace)
        if getattr(sys, "last_value", None) is not error:  # the script calls the hook itself and goes on
            show(kind, error, trace)
            return
        if os.getpid() == process:
            end.note_error(error, trace)
            error.__traceback__ = trace
        sys.excepthook = show
        show(kind, error, trace)

    sys.excepthook = excepthook


class _Finder:
    """A finder that delegates to the other finders and adds a call after a module has run."""

    def __init__(self) -> None:
        self._busy: set[tuple[int, str]] = set()  # the thread and the name of each module that is being found

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        package, _, module = name.partition(".")
        me = (get_ident(), name)
        if package not in ("tensorflow", "tensorflow_core") or module not in hooks.LOADED or me in self._busy:
            return None
        from importlib.util import find_spec

        self._busy.add(me)
        try:
            spec = find_spec(name)
        finally:
            self._busy.discard(me)
        loader: Any = getattr(spec, "loader", None)
        if not hasattr(loader, "exec_module"):
            return spec
        loader.exec_module = _then(loader.exec_module, hooks.LOADED[module])
        return spec


def _then(run: Callable[[Any], None], act: Callable[[Any], None]) -> Callable[[Any], None]:
    def run_and_hook(module: Any) -> None:
        run(module)
        try:
            act(module)
        except AttributeError as error:  # a different build of TensorFlow: the report lists what was not watched
            record.write("unseen", what=f"{module.__name__}: {error}")

    return run_and_hook
