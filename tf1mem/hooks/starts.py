"""Hooks on the calls that start TensorFlow's GPU runtime: the first is noted, and what waits for it is done before.

A hook asks at each call what stands between it and TensorFlow's own function: what was settled just before the call, by
the hook itself, counts for that very call, and for whoever took the hook from its module earlier.
"""

from __future__ import annotations

import sys
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
# Each call of these makes devices from its own config, however many have been made.
_STAY = ("python.client.device_lib", "python.training.server_lib")

_undo: list[Callable[[], None]] = []
_before: list[Callable[[], None]] = []
_last: list[Callable[[], None]] = []
_between: dict[str, Callable[[Any], Callable[..., Any]]] = {}


def before_first_start(act: Callable[[], None]) -> None:
    """Has something done once, just before the runtime is first started, if it is seen to start."""
    if first_start.seen() is None:
        _before.append(act)


def look_last(act: Callable[[], None]) -> None:
    """Has something done once, just before the runtime is first started, after all that `before_first_start` was given.

    Unlike that, it is not done when somebody only asks for the config that a start is going to have: a program may
    still change what it stands on.
    """
    if first_start.seen() is None and act not in _last:
        _last.append(act)


def settle() -> None:
    """Does what waits for the first start: for whoever makes the config that a start is going to have."""
    with first_start.lock:
        _call_each(_before)


def put_between(name: str, make: Callable[[Any], Callable[..., Any]]) -> None:
    """Puts a function between the hook of a module and TensorFlow's own, in the place of the one before.

    Args:
        name: The module's name without the package; one whose hook stays.
        make: Given TensorFlow's own, returns the one that is called. Asked at each call.
    """
    assert name in _STAY
    _between[name] = make


def look_out(name: str, module: Any) -> None:
    """Hooks what starts the runtime in one of TensorFlow's modules: the first call that succeeds is noted.

    Args:
        name: The module's name without the package.
        module: The module.

    Raises:
        AttributeError: It has no such class.
    """
    if name not in _STARTS:
        return
    owner, function, by = _STARTS[name]

    def noting(original: Any) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
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
        _look_out_for_config(module.Context)


def _look_out_for_config(context: Any) -> None:
    """Settles what waits for the first start when the context's config is asked for, from which Sessions are made.

    Keras, tests and what connects to a cluster ask for it first, add to it, and then make a Session of that.
    """
    own = vars(context).get("config")
    if not isinstance(own, property) or own.fget is None:
        return
    fget = own.fget

    def config(self: Any) -> Any:
        if _before and sys._getframe(1).f_locals.get("self") is not self:  # not the context about itself
            settle()
        return fget(self)

    hooked = own.getter(config)
    context.config = hooked

    def undo() -> None:
        if vars(context).get("config") is hooked:
            context.config = own

    _undo.append(undo)


def _call_each(waiting: list[Callable[[], None]]) -> None:
    """Takes every call off a list and makes it, each once, whichever threads come here at a time."""
    while True:
        try:
            call = waiting.pop()
        except IndexError:
            return
        call()
