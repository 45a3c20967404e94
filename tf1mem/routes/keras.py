"""The Session that Keras makes for itself on TensorFlow 1.13 and 1.14.

From 1.15 on it takes the context's config, which `tf.config` sets; before, a fixed one, whatever was applied
(tensorflow/python/keras/backend.py, get_default_session_config). Soft placement is on in both.
"""

from __future__ import annotations

import sys
from typing import Any, Callable

from tf1mem.hooks.wrapping import wrap
from tf1mem.machine import runtime

_BACKEND = "tensorflow.python.keras.backend"

_default: Any = None


def _asks_the_context(backend: Any) -> bool:
    """Whether Keras's config is the context's, as from 1.15 on: by the function itself, for versions may lie."""
    function = getattr(backend, "get_default_session_config", None)
    function = getattr(function, "__wrapped__", function)
    return "context" in getattr(getattr(function, "__code__", None), "co_names", ("context",))


def set_default(tf: Any, config: Any) -> None:
    """Lets the Session that Keras makes for itself take this config, with soft placement.

    Args:
        tf: TensorFlow.
        config: The ConfigProto that was applied.
    """
    global _default
    backend: Any = sys.modules.get(_BACKEND)
    if backend is None or not runtime.is_tf1(tf) or _asks_the_context(backend):
        return
    _default = config

    def with_default(before: Any) -> Callable[[], Any]:
        def get_default_session_config() -> Any:
            made = before()
            if _default is not None:
                made.MergeFrom(_default)
                made.allow_soft_placement = True
            return made

        return get_default_session_config

    wrap(backend, "get_default_session_config", with_default)
