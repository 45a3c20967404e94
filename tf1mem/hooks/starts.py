"""Hooks on the calls that start TensorFlow's GPU runtime: the first is noted, and then every hook takes itself out."""

from __future__ import annotations

from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around
from tf1mem.machine import first_start

# By module: the class or None, the function, and what it is called in a message.
_STARTS = {
    "python.eager.context": ("Context", "ensure_initialized", "an eager op (or a call that needs the eager context)"),
    "python.client.session": ("BaseSession", "__init__", "a Session"),
    "python.client.device_lib": (None, "list_local_devices", "device_lib.list_local_devices()"),
    "python.training.server_lib": ("Server", "__init__", "a train.Server"),
}
_undo: list[Callable[[], None]] = []
_before: list[Callable[[], None]] = []


def before_first_start(act: Callable[[], None]) -> None:
    """Has something done once, just before the runtime is first started, if it is seen to start."""
    if first_start.seen() is None:
        _before.append(act)


def look_out(name: str, module: Any) -> None:
    """Hooks what starts the runtime in one of TensorFlow's modules: the first call that succeeds is noted.

    Args:
        name: The module's name without the package.
        module: The module.

    Raises:
        AttributeError: It has no such class.
    """
    owner, function, by = _STARTS[name]

    def noting(original: Any) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            with first_start.lock:
                _call_each(_before)
                first_start.begin()
            try:
                result = original(*args, **kwargs)
                first_start.note(by)
            finally:
                first_start.end()
            _call_each(_undo)
            return result

        return call

    undo = put_around(getattr(module, owner) if owner else module, function, noting)
    _undo.append(undo)


def _call_each(waiting: list[Callable[[], None]]) -> None:
    """Takes every call off a list and makes it, each once, whichever threads come here at a time."""
    while True:
        try:
            call = waiting.pop()
        except IndexError:
            return
        call()
