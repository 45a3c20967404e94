"""The Session that Keras makes for itself on TensorFlow 1.13 and 1.14.

From 1.15 on it takes the context's config, which `tf.config` sets; before, a fixed one, whatever was applied
(tensorflow/python/keras/backend.py, get_default_session_config). Soft placement is on in both.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

_BACKEND = "tensorflow.python.keras.backend"

_default: Any = None


def set_default(version: Any, config: Any) -> None:
    """Lets the Session that Keras makes for itself take this config, with soft placement.

    Args:
        version: TensorFlow's.
        config: The ConfigProto that was applied.
    """
    global _default
    backend = sys.modules.get(_BACKEND)
    if backend is None or (version.major, version.minor) not in ((1, 13), (1, 14)):
        return
    _default = config
    before = backend.get_default_session_config
    if hasattr(before, "tf1mem_default"):
        return

    @functools.wraps(before)
    def get_default_session_config() -> Any:
        made = before()
        if _default is not None:
            made.MergeFrom(_default)
            made.allow_soft_placement = True
        return made

    get_default_session_config.tf1mem_default = True  # type: ignore[attr-defined]
    backend.get_default_session_config = get_default_session_config
