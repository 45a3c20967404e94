"""Gives the eager context a ConfigProto of tf1mem's before the context exists.

`tf.compat.v1.enable_eager_execution(config=…)` is the only public way to pass the eager context a ConfigProto, which
can express what tf.config can't: a fraction to the byte, a fraction above 1, growth together with a cap. On TensorFlow
2 eager mode is on already, and the call ignores its config. So this module creates the context with the config as that
call would. TensorFlow 1.14 lacks the functions for that; there, eager mode is switched off for a moment first. The
context keeps the very object and reads it when it starts (tensorflow/python/eager/context.py, `config`), so settings
applied later are written into the same object. Sessions without a config get the context's.
"""

from __future__ import annotations

import warnings
from typing import Any, Callable

from tf1mem.machine import own_changes
from tf1mem.machine.eager_context import FREE, OURS, context_module, state
from tf1mem.settings import protos


def claim(tf: Any) -> bool:
    """Gives the eager context an empty ConfigProto of tf1mem's, if the context doesn't exist yet.

    Nothing else changes: eager mode stays on or off as it was, and an empty ConfigProto means the same as none.

    Returns:
        True if the context holds the ConfigProto, from this call or an earlier one.
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
        pass  # a context was created meanwhile; the plan takes another route
    finally:
        if bool(tf.executing_eagerly()) != eager:
            (v1.enable_eager_execution if eager else v1.disable_eager_execution)()
    return state(tf) == OURS


def _carry(tf: Any, path: str, config: Any) -> Callable[[], None]:
    """Copies one field of a ConfigProto into the eager context's.

    Args:
        tf: TensorFlow.
        path: The field's dotted name.
        config: The ConfigProto to copy from.

    Returns:
        A function that restores all fields of the context's ConfigProto.

    Raises:
        RuntimeError: The eager context exists, without a ConfigProto of tf1mem's.
    """
    if not claim(tf):
        raise RuntimeError("the eager context has been made meanwhile")
    before = protos.config_class()()
    ours = own_changes.eager_config
    before.CopyFrom(ours)
    protos.copy_field(config, ours, path)
    return lambda: ours.CopyFrom(before)


ACTIONS = {"carry": _carry}
