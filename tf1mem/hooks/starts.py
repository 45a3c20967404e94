"""Hooks the calls that start TensorFlow's GPU runtime: records the first, and calls functions that wait for it.

At each call a hook looks up the function of `put_between`, which stands between the hook and TensorFlow's own. So a
function put there during a call counts for that very call, and for a program that imported the hooked function earlier.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, ContextManager

from tf1mem.hooks.wrappers import put_around
from tf1mem.machine import first_start

# Module -> the class or None, the function, and its description in messages.
_STARTS = {
    "python.eager.context": ("Context", "ensure_initialized", "an eager op (or a call that needs the eager context)"),
    "python.client.session": ("BaseSession", "__init__", "a Session"),
    "python.client.device_lib": (None, "list_local_devices", "device_lib.list_local_devices()"),
    "python.training.server_lib": ("Server", "__init__", "a train.Server"),
}
# Each call of these creates devices from its own config, so their hooks stay after the first start.
_STAY = ("python.client.device_lib", "python.training.server_lib")

_undo: list[Callable[[], None]] = []  # remove the hooks after the first start
_before: list[Callable[[], None]] = []  # see `before_first_start`
_last: list[Callable[[], None]] = []  # see `last_before_first_start`
_between: dict[str, Callable[[Any], Callable[..., Any]]] = {}  # by module: see `put_between`

# A context manager to enter while the runtime first starts.
around_first_start: Callable[[], ContextManager[object]] | None = None


def before_first_start(act: Callable[[], None]) -> None:
    """Calls `act` once, just before the runtime first starts; drops it if the runtime has started."""
    if first_start.seen() is None:
        _before.append(act)


def last_before_first_start(act: Callable[[], None]) -> None:
    """Calls `act` once, just before the runtime first starts, after every function passed to `before_first_start`.

    Unlike those, it isn't called when the program only reads the config of a later start: the program may still change
    settings after that.
    """
    if first_start.seen() is None and act not in _last:
        _last.append(act)


def call_waiting() -> None:
    """Calls the functions that wait for the first start; for code that creates the config of a later start."""
    with first_start.lock:
        _call_each(_before)


def put_between(name: str, make: Callable[[Any], Callable[..., Any]]) -> None:
    """Puts a function between the hook of a module and TensorFlow's own function; replaces an earlier one.

    Args:
        name: The module's name without the package; a member of `_STAY`.
        make: Takes TensorFlow's own function, and returns the one to call. It runs at each call.
    """
    assert name in _STAY
    _between[name] = make


def hook_start(name: str, module: Any) -> None:
    """Hooks the call that starts the runtime in a module of TensorFlow; the hook records the first that succeeds.

    Args:
        name: The module's name without the package.
        module: The imported module.

    Raises:
        AttributeError: The module has no such class.
    """
    if name not in _STARTS:
        return
    owner, function, by = _STARTS[name]

    def noting(original: Any) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if around_first_start is None or first_start.seen() is not None:
                return start(*args, **kwargs)
            with around_first_start():
                return start(*args, **kwargs)

        def start(*args: Any, **kwargs: Any) -> Any:
            with first_start.lock:
                _call_each(_before)
                _call_each(_last)
                first_start.begin()
            try:
                between = _between.get(name)
                result = (original if between is None else between(original))(*args, **kwargs)
                first_start.note(by)
            finally:
                first_start.end()
            _call_each(_undo)
            return result

        return call

    undo = put_around(getattr(module, owner) if owner else module, function, noting)
    if name not in _STAY:
        _undo.append(undo)
    if name == "python.eager.context":
        _hook_config(module.Context)


def _hook_config(context: Any) -> None:
    """Calls `call_waiting` when the context's config is read, since Sessions are created from it.

    Keras, tests and the code that connects to a cluster read it first, add to it, and then create a Session with it.
    """
    own = vars(context).get("config")
    if not isinstance(own, property) or own.fget is None:
        return
    fget = own.fget

    def config(self: Any) -> Any:
        if _before and sys._getframe(1).f_locals.get("self") is not self:  # not when the context itself reads it
            call_waiting()
        return fget(self)

    hooked = own.getter(config)
    context.config = hooked

    def undo() -> None:
        if vars(context).get("config") is hooked:
            context.config = own

    _undo.append(undo)


def _call_each(waiting: list[Callable[[], None]]) -> None:
    """Removes every function from a list and calls it, each once even if several threads come here."""
    while True:
        try:
            call = waiting.pop()
        except IndexError:
            return
        call()
