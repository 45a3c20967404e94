"""Makes settings by a Session's config: TensorFlow 1's way, still there as tf.compat.v1.Session.

`tf1mem.apply` returns a ConfigProto with every setting, for the program to pass to its Sessions. This module adds two
things:

- On TensorFlow 1.13, and where TensorFlow 1's context can't take a setting, a Session without a config gets the config
  applied last.
- Where only a ConfigProto can express a setting and the eager context can't take one any more, a Session is created at
  once, because the first device created in a process decides.
"""

from __future__ import annotations

from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around_once
from tf1mem.machine import eager_context

_default: Any = None  # the ConfigProto of the last step that set one


def default_config() -> Any:
    """Returns the ConfigProto for Sessions without one if TensorFlow itself has no place for it, else None."""
    return _default


def _hand(tf: Any) -> Callable[[], None]:
    """Does nothing: the config that `tf1mem.apply` returns has the setting."""
    return lambda: None


def _make_default(tf: Any, config: Any) -> Callable[[], None]:
    """Makes `config` the default of Sessions without a config."""
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
    """Gives the default config also to an eager context that `tf.enable_eager_execution()` creates later."""
    if eager_context.exists():
        return lambda: None

    def with_default(before: Any) -> Callable[..., None]:
        def init(self: Any, config: Any = None, *args: Any, **kwargs: Any) -> None:
            before(self, _default if config is None else config, *args, **kwargs)

        return init

    return put_around_once(eager_context.context_module().Context, "__init__", with_default)


def _start_now(tf: Any, config: Any) -> Callable[[], None]:
    """Creates the GPU devices at once, by a Session that is closed again."""
    with tf.Graph().as_default():
        tf.compat.v1.Session(config=config).close()
    return lambda: None


ACTIONS = {"hand": _hand, "make_default": _make_default, "start_now": _start_now}
