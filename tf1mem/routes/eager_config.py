"""A ConfigProto of tf1mem's own, given to the eager context before it exists.

`tf.compat.v1.enable_eager_execution(config=…)` is the one public way to hand the eager context a ConfigProto, and
with it says what tf.config cannot: a fraction to the byte, a fraction above 1, growth together with a cap. On
TensorFlow 2 eager mode is on already and the call ignores its config, so it is switched off for a moment first. The
context keeps the very object and reads it when it starts (tensorflow/python/eager/context.py, `config`), so what is
applied later is written into the same object; and a context that holds it tells plain Sessions the same.
"""

from __future__ import annotations

import warnings
from typing import Any, Callable

from tf1mem.settings import protos

NAME = "eager config"

CALLS = {
    "compat.v1.enable_eager_execution": ">=1.13",
    "compat.v1.disable_eager_execution": ">=1.13",
}

_ours: Any = None


def is_ours(config: Any) -> bool:
    """Whether a context's ConfigProto is the one that tf1mem gave it."""
    return config is not None and config is _ours


def claim() -> bool:
    """Gives the eager context a ConfigProto of tf1mem's, empty for now, while that can still be done.

    Returns:
        Whether the context holds it. Nothing else changes: eager mode stays on or off as it was, and an empty
        ConfigProto means what no ConfigProto means.
    """
    global _ours
    from tf1mem.machine import runtime

    tf = runtime.import_tensorflow()
    state = runtime.context_state(tf)
    if state != runtime.FREE:
        return state == runtime.OURS
    v1 = tf.compat.v1
    eager = bool(tf.executing_eagerly())
    mine = v1.ConfigProto()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            v1.disable_eager_execution()
            v1.enable_eager_execution(config=mine)
        _ours = mine
    except (ValueError, AttributeError):
        pass  # a context was made meanwhile; the plan goes another way
    finally:
        if bool(tf.executing_eagerly()) != eager:
            (v1.enable_eager_execution if eager else v1.disable_eager_execution)()
    return runtime.context_state(tf) == runtime.OURS


def _carry(tf: Any, path: str, config: Any) -> Callable[[], None]:
    """Copies one field of a ConfigProto into the eager context's."""
    if not claim():
        raise RuntimeError("the eager context has been made meanwhile")
    before = protos.config_class()()
    before.CopyFrom(_ours)
    protos.copy_field(config, _ours, path)
    return lambda: _ours.CopyFrom(before)


ACTIONS = {"carry": _carry}
