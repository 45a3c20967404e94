"""A ConfigProto of tf1mem's own, given to the eager context before it exists.

`tf.compat.v1.enable_eager_execution(config=…)` is the one public way to hand the eager context a ConfigProto, and
with it says what tf.config cannot: a fraction to the byte, a fraction above 1, growth together with a cap. On
TensorFlow 2 eager mode is on already and the call ignores its config. So what it does with one is done here without
it; on TensorFlow 1.14, which hasn't got the parts, eager mode is switched off for a moment first. The
context keeps the very object and reads it when it starts (tensorflow/python/eager/context.py, `config`), so what is
applied later is written into the same object; and a context that holds it tells plain Sessions the same.
"""

from __future__ import annotations

import warnings
from typing import Any, Callable

from tf1mem.machine import own_changes
from tf1mem.machine.eager_context import FREE, OURS, context_module, state
from tf1mem.settings import protos


def claim(tf: Any) -> bool:
    """Gives the eager context a ConfigProto of tf1mem's, empty for now, while that can still be done.

    Returns:
        Whether the context holds it. Nothing else changes: eager mode stays on or off as it was, and an empty
        ConfigProto means what no ConfigProto means.
    """
    now = state(tf)
    if now != FREE:
        return now == OURS
    v1, module = tf.compat.v1, context_module()
    mine = v1.ConfigProto()
    if hasattr(module, "_set_context_locked") and hasattr(module, "_context_lock"):
        with module._context_lock:
            if module._context is None:
                own_changes.eager_config = mine
                module._set_context_locked(module.Context(config=mine))
        return state(tf) == OURS
    eager = bool(tf.executing_eagerly())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            v1.disable_eager_execution()
            v1.enable_eager_execution(config=mine)
        own_changes.eager_config = mine
    except (ValueError, AttributeError):
        pass  # a context was made meanwhile; the plan goes another way
    finally:
        if bool(tf.executing_eagerly()) != eager:
            (v1.enable_eager_execution if eager else v1.disable_eager_execution)()
    return state(tf) == OURS


def _carry(tf: Any, path: str, config: Any) -> Callable[[], None]:
    """Copies one field of a ConfigProto into the eager context's."""
    if not claim(tf):
        raise RuntimeError("the eager context has been made meanwhile")
    before = protos.config_class()()
    ours = own_changes.eager_config
    before.CopyFrom(ours)
    protos.copy_field(config, ours, path)
    return lambda: ours.CopyFrom(before)


ACTIONS = {"carry": _carry}
