"""Session and InteractiveSession, whose config goes through `apply`."""

from __future__ import annotations

from typing import Any

from tf1mem.v1._configs import anything_applied, in_force, overlay_class, session_config


def session(tf: Any) -> Any:
    """`tf.Session`."""
    base = tf.Session

    def __init__(self: Any, target: Any = "", graph: Any = None, config: Any = None) -> None:  # noqa: N807
        self._session = None  # What __del__ looks for, should the config be refused.
        base.__init__(self, target, graph, config=session_config(config))

    return overlay_class(base, "tf1mem.v1", {"__init__": __init__})


def interactive_session(tf: Any) -> Any:
    """`tf.InteractiveSession`."""
    base = tf.InteractiveSession

    def __init__(self: Any, target: Any = "", graph: Any = None, config: Any = None) -> None:  # noqa: N807
        self._session = None  # As above.
        if config is not None:
            config = session_config(config)
        elif anything_applied():
            config = in_force()
        else:
            # What TensorFlow itself takes for an InteractiveSession without a config (client/session.py).
            config = session_config(tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True)))
        base.__init__(self, target, graph, config)

    return overlay_class(base, "tf1mem.v1", {"__init__": __init__})
