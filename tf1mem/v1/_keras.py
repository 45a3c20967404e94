"""tf.keras in graph mode, with sessions, on every TensorFlow."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable

from tf1mem.v1 import _keras_paths, _legacy_keras
from tf1mem.v1._namespace import ROOT, Layer

_BACKEND = ROOT + ".keras.backend"


def layers(version: Any) -> dict[str, Layer]:
    """The namespaces of Keras.

    Args:
        version: TensorFlow's.
    """
    root = {"tf": lambda: import_module(ROOT)}  # K.tf, of standalone Keras.
    keras = (
        _of_keras_3(root) if _legacy_keras.has_keras_3(version) else {"keras": Layer({}), "keras.backend": Layer(root)}
    )
    for namespace in ("keras", "keras.backend"):
        keras[namespace] = keras[namespace]._replace(missing=_keras_paths.gone)
    keras.update(_keras_paths.layers())
    # Standalone Keras' name for its TensorFlow backend.
    keras["keras.backend.tensorflow_backend"] = Layer(root, base=lambda: import_module(_BACKEND))
    return keras


def _of_keras_3(root: dict[str, Callable[[], Any]]) -> dict[str, Layer]:
    if _legacy_keras.refused():
        # The user's own choice: Keras 3 as it is, and what programs need around Sessions.
        def base() -> Any:
            return import_module("keras._tf_keras.keras")

        sessions = _sessions()
        return {
            "keras": Layer({}, base=base),
            "keras.backend": Layer(dict(root, **sessions), base=lambda: import_module("keras._tf_keras.keras.backend")),
        }

    def legacy(dotted: str, asked: str) -> Callable[[], Any]:
        return lambda: _legacy_keras.module(dotted, asked)

    sessions = {} if _legacy_keras.installed() else _sessions()
    return {
        "keras": Layer({}, base=legacy("", "tf.keras")),
        "keras.backend": Layer(dict(root, **sessions), base=legacy("backend", "tf.keras.backend")),
        "layers": Layer({}, base=legacy("__internal__.legacy.layers", "tf.layers")),
        "nn.rnn_cell": Layer({}, base=legacy("__internal__.legacy.rnn_cell", "tf.nn.rnn_cell")),
    }


def _sessions() -> dict[str, Callable[[], Any]]:
    """set_session and its siblings where Keras has no Sessions: the Session has applied its config already."""
    held: list[Any] = []

    def set_session(session: Any) -> None:
        """Remembers a Session for `get_session`. Keras 3 itself has no use for one."""
        held[:] = [session]

    def get_session(op_input_list: Any = ()) -> Any:
        """The default Session, the one that was set, or a new one."""
        tf = import_module(ROOT)
        default = tf.get_default_session()
        if default is not None:
            return default
        if not held:
            held.append(tf.Session())
        return held[0]

    def clear_session() -> None:
        """Forgets the Session and starts a new default graph."""
        held.clear()
        import_module(ROOT).reset_default_graph()

    return {
        "set_session": lambda: set_session,
        "get_session": lambda: get_session,
        "clear_session": lambda: clear_session,
    }
