"""tf.keras in graph mode, with Sessions, on every TensorFlow, and the module paths of standalone Keras 2.

Programs of Keras 2's time imported from those paths. `tf.keras` has the same names without them:
`keras.layers.core.Dense` is `tf.keras.layers.Dense`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable

from tf1mem.errors import RemovedSymbolError
from tf1mem.v1 import _legacy_keras
from tf1mem.v1._namespace import ROOT, Factory, Layer, below, empty_module, import_or_none, located

# Namespace of tf.keras -> the files that standalone Keras had it in.
_FILES = {
    "layers": "advanced_activations convolutional convolutional_recurrent core embeddings local merge noise "
    "normalization pooling recurrent wrappers",
    "utils": "conv_utils data_utils generic_utils io_utils layer_utils np_utils training_utils vis_utils",
}

# Where tf.keras has the names of keras.engine.
_ENGINE = {
    "Input": "",
    "InputLayer": "layers",
    "InputSpec": "layers",
    "Layer": "layers",
    "Model": "",
    "get_source_inputs": "utils",
}
_ENGINE_FILES = "base_layer input_layer network saving sequential topology training training_utils".split()

# The files that keras.engine.topology was split into later.
_SPLIT = {"engine.topology": ["engine.base_layer", "engine.input_layer", "engine.network", "engine.node"]}


def layers(version: Any) -> dict[str, Layer]:
    """The namespaces of Keras.

    Args:
        version: TensorFlow's.
    """
    root = {"tf": lambda: import_module(ROOT)}  # K.tf, of standalone Keras.
    if _legacy_keras.has_keras_3(version):
        keras = _in_place_of_keras_3(root)
    else:
        keras = {"keras": Layer({}), "keras.backend": Layer(root)}
    for namespace in ("keras", "keras.backend"):
        keras[namespace] = keras[namespace]._replace(missing=_missing)
    keras.update(_paths_of_standalone_keras())
    # Standalone Keras' name for its TensorFlow backend.
    keras["keras.backend.tensorflow_backend"] = Layer(root, base=_public("backend"))
    return keras


def _in_place_of_keras_3(root: dict[str, Factory]) -> dict[str, Layer]:
    if _legacy_keras.refused():
        # The user's own choice: Keras 3 as it is, and what programs need around Sessions.
        return {
            "keras": Layer({}, base=lambda: import_module("keras._tf_keras.keras")),
            "keras.backend": Layer(
                dict(root, **_sessions()), base=lambda: import_module("keras._tf_keras.keras.backend")
            ),
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


def _sessions() -> dict[str, Factory]:
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


def _paths_of_standalone_keras() -> dict[str, Layer]:
    found = {"keras.objectives": Layer({}, base=_public("losses"), missing=_not_public, required=True)}
    for namespace, files in _FILES.items():
        found["keras." + namespace] = Layer({}, missing=_missing, required=True)
        for file in files.split():
            path = f"keras.{namespace}.{file}"
            found[path] = Layer({}, base=_public(namespace), missing=_not_public, required=True)
    names = {name: _member(namespace, name) for name, namespace in _ENGINE.items()}
    for path in ["keras.engine"] + ["keras.engine." + file for file in _ENGINE_FILES]:
        found[path] = Layer(names, base=_empty(path), missing=_not_public, required=True)
    return found


def _module(namespace: str) -> Any:
    return import_module(below(ROOT + ".keras", namespace))


def _public(namespace: str) -> Callable[[], Any]:
    return lambda: _module(namespace)


def _member(namespace: str, name: str) -> Factory:
    return lambda: getattr(_module(namespace), name)


def _empty(path: str) -> Callable[[], Any]:
    empty = empty_module(path)

    def base() -> Any:
        _module("layers")  # Raises where there is no Keras for graph mode.
        return empty()

    return base


def _not_public(dotted: str, name: str) -> Any:
    """A name that is not public, from the file of Keras' own that still has it."""
    package, engine, _ = _module("").Model.__module__.partition(".engine.")
    path = dotted[len("keras.") :]
    for file in _SPLIT.get(path, [path]) if engine else ():
        module = import_or_none(f"{package}.{file}")
        if hasattr(module, name):
            return getattr(module, name)
    return _missing(dotted, name)


def _missing(dotted: str, name: str) -> Any:
    """Says that Keras has no such name, as the program spells it."""
    raise RemovedSymbolError(
        located(f"{dotted}.{name}"),
        "the Keras of this TensorFlow has no such name",
        "Use what tf.keras has in its place, or bring its code into the program",
    )
