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

_config: Any = None  # the ConfigProto of the last step that set one


def config_for_sessions() -> Any:
    """Returns the ConfigProto for Sessions without one if TensorFlow itself has no place for it, else None."""
    return _config


def _hand(tf: Any) -> Callable[[], None]:
    """Does nothing: the config that `tf1mem.apply` returns has the setting."""
    return lambda: None


def _give_to_sessions(tf: Any, config: Any) -> Callable[[], None]:
    """Gives `config` to Sessions without a config."""
    global _config
    base = tf.Session.__mro__[1]  # BaseSession, so that InteractiveSession keeps its own default
    before_config = _config
    _config = config

    def with_config(before: Any) -> Callable[..., None]:
        def init(self: Any, target: str = "", graph: Any = None, config: Any = None) -> None:
            before(self, target, graph, _config if config is None else config)

        return init

    undo_session = put_around_once(base, "__init__", with_config)
    undo_context = _give_to_context()

    def undo() -> None:
        global _config
        _config = before_config
        if before_config is None:
            undo_session()
        undo_context()

    return undo


def _give_to_context() -> Callable[[], None]:
    """Gives the config also to an eager context that `tf.enable_eager_execution()` creates later."""
    if eager_context.exists():
        return lambda: None

    def with_config(before: Any) -> Callable[..., None]:
        def init(self: Any, config: Any = None, *args: Any, **kwargs: Any) -> None:
            before(self, _config if config is None else config, *args, **kwargs)

        return init

    return put_around_once(eager_context.context_module().Context, "__init__", with_config)


def _start_now(tf: Any, config: Any) -> Callable[[], None]:
    """Creates the GPU devices at once, by a Session that is closed again."""
    with tf.Graph().as_default():
        tf.compat.v1.Session(config=config).close()
    return lambda: None


ACTIONS = {"hand": _hand, "give_to_sessions": _give_to_sessions, "start_now": _start_now}
