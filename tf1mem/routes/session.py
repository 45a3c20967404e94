"""A Session's own config: TensorFlow 1's way, and still there as tf.compat.v1.Session.

What `tf1mem.apply` returns is meant for it and carries every setting. Two things are done here besides: on TensorFlow
1.13, and where TensorFlow 1's context can't be told a setting, a Session without a config takes the config applied
last; and where nothing but a ConfigProto can say a setting and the eager context can't be given one, a Session is made
at once, because the first device made in a process decides.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

NAME = "session"

CALLS = {
    "compat.v1.ConfigProto": ">=1.13",
    "compat.v1.Session": ">=1.13",
    "Session": ">=1.13,<2",
}

_default: Any = None


def default_config() -> Any:
    """The ConfigProto for Sessions without one, where TensorFlow itself has no place for it; else None."""
    return _default


def _hand(tf: Any) -> Callable[[], None]:
    return lambda: None


def _make_default(tf: Any, config: Any) -> Callable[[], None]:
    """Lets Sessions without a config take this one."""
    global _default
    base = tf.Session.__mro__[1]  # BaseSession, so that InteractiveSession keeps its own default
    before_default, before = _default, base.__init__
    _default = config
    if not hasattr(before, "tf1mem_default"):

        @functools.wraps(before)
        def init(self: Any, target: str = "", graph: Any = None, config: Any = None) -> None:
            before(self, target, graph, _default if config is None else config)

        init.tf1mem_default = True  # type: ignore[attr-defined]
        base.__init__ = init
    undo_context = _make_default_of_context(tf)

    def undo() -> None:
        global _default
        _default = before_default
        if base.__init__ is not before and before_default is None:
            base.__init__ = before
        undo_context()

    return undo


def _make_default_of_context(tf: Any) -> Callable[[], None]:
    """The same for the eager context that `tf.enable_eager_execution()` makes after this."""
    from tf1mem import runtime

    if runtime.has_context(tf):
        return lambda: None
    context_class = runtime.context_module(tf).Context
    before = context_class.__init__
    if hasattr(before, "tf1mem_default"):
        return lambda: None

    @functools.wraps(before)
    def init(self: Any, config: Any = None, *args: Any, **kwargs: Any) -> None:
        before(self, _default if config is None else config, *args, **kwargs)

    init.tf1mem_default = True  # type: ignore[attr-defined]
    context_class.__init__ = init

    def undo() -> None:
        context_class.__init__ = before

    return undo


def _start_now(tf: Any, config: Any) -> Callable[[], None]:
    """Makes the GPU devices at once, by a Session that is thrown away."""
    with tf.Graph().as_default():
        tf.compat.v1.Session(config=config).close()
    return lambda: None


ACTIONS = {"hand": _hand, "make_default": _make_default, "start_now": _start_now}
