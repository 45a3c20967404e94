"""A Session's own config: TensorFlow 1's way, and still there as tf.compat.v1.Session.

What `tf1mem.apply` returns is meant for it and carries every setting. Two things are done here besides: on TensorFlow
1.13, and where TensorFlow 1's context can't be told a setting, a Session without a config takes the config applied
last; and where nothing but a ConfigProto can say a setting and the eager context can't be given one, a Session is made
at once, because the first device made in a process decides.
"""

from __future__ import annotations

from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around_once
from tf1mem.machine import eager_context

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
    before_default = _default
    _default = config

    def with_default(before: Any) -> Callable[..., None]:
        def init(self: Any, target: str = "", graph: Any = None, config: Any = None) -> None:
            before(self, target, graph, _default if config is None else config)

        return init

    undo_session = put_around_once(base, "__init__", with_default)
    undo_context = _make_default_of_context()

    def undo() -> None:
        global _default
        _default = before_default
        if before_default is None:
            undo_session()
        undo_context()

    return undo


def _make_default_of_context() -> Callable[[], None]:
    """The same for the eager context that `tf.enable_eager_execution()` makes after this."""
    if eager_context.exists():
        return lambda: None

    def with_default(before: Any) -> Callable[..., None]:
        def init(self: Any, config: Any = None, *args: Any, **kwargs: Any) -> None:
            before(self, _default if config is None else config, *args, **kwargs)

        return init

    return put_around_once(eager_context.context_module().Context, "__init__", with_default)


def _start_now(tf: Any, config: Any) -> Callable[[], None]:
    """Makes the GPU devices at once, by a Session that is thrown away."""
    with tf.Graph().as_default():
        tf.compat.v1.Session(config=config).close()
    return lambda: None


ACTIONS = {"hand": _hand, "make_default": _make_default, "start_now": _start_now}
