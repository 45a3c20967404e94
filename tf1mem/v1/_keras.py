"""tf.keras in graph mode, with Sessions, on every TensorFlow, and the module paths of standalone Keras 2.

From 2.16 on, `tf.keras` is Keras 3, which has no graph mode and no Sessions. The package tf_keras is Keras 2; the
environment variable TF_USE_LEGACY_KERAS has TensorFlow use it, if it is set before TensorFlow is imported. Set on
2.15 or older it breaks TensorFlow, and a choice of the user's own is the user's.

Programs of Keras 2's time imported from paths that `tf.keras` hasn't got, but for the names in them:
`keras.layers.core.Dense` is `tf.keras.layers.Dense`.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Callable

from tf1mem.errors import MissingPackageError, RemovedSymbolError
from tf1mem.machine import keras_files
from tf1mem.machine.modules import below
from tf1mem.machine.tensorflow import is_tf1
from tf1mem.v1 import _keras_names, _methods
from tf1mem.v1._namespace import ROOT, Factory, Layer, empty_module, import_or_none, located
from tf1mem.v1._seeds import keras_is_loaded

_API = "tf_keras.api._v1.keras"
_VARIABLE = "TF_USE_LEGACY_KERAS"
_YES = ("true", "True", "1")  # As TensorFlow reads it (util/lazy_loader.py).

# Where tf.keras has the names of keras.engine.
_ENGINE = {
    "Input": "",
    "InputLayer": "layers",
    "InputSpec": "layers",
    "Layer": "layers",
    "Model": "",
    "get_source_inputs": "utils",
}

# Where tf1mem has what Keras lost.
_BROUGHT = {"keras.utils": "tf1mem.v1._keras_gpus", "keras.wrappers.scikit_learn": "tf1mem.v1._keras_wrappers"}

# The files that keras.engine.topology was split into later.
_SPLIT = {"engine.topology": ["engine.base_layer", "engine.input_layer", "engine.network", "engine.node"]}


def has_keras_3(version: Any) -> bool:
    """Whether TensorFlow of that version has Keras 3 as `tf.keras`."""
    return version is not None and tuple(version.release[:2]) >= (2, 16)


def _installed() -> bool:
    """Whether tf_keras is there to be imported."""
    return "tf_keras" in sys.modules or find_spec("tf_keras") is not None


def choose_keras_2(version: Any) -> None:
    """Has TensorFlow use tf_keras, where that is right and not too late.

    Args:
        version: TensorFlow's, or None if it isn't known.
    """
    too_late = "tensorflow" in sys.modules or "keras" in sys.modules
    if has_keras_3(version) and _VARIABLE not in os.environ and not too_late and _installed():
        os.environ[_VARIABLE] = "1"


def _refused() -> bool:
    """Whether the user asked for Keras 3."""
    return os.environ.get(_VARIABLE, "1") not in _YES


def keras_2(dotted: str, symbol: str) -> Any:
    """A module of Keras 2's TF1 API.

    Args:
        dotted: Below `keras`, such as "backend".
        symbol: What the program asked for, for the error.

    Raises:
        MissingPackageError: tf_keras is not installed.
    """
    if not _installed():
        raise MissingPackageError(
            located(symbol),
            "TensorFlow 2.16 and later have no Keras for graph mode without tf_keras",
            "pip install tf_keras",
        )
    # Its own modules rather than tensorflow.keras, which may have settled on Keras 3 before tf1mem was imported.
    if _VARIABLE not in os.environ:  # whose setdefault a test's own environment, made for a thread, may lack
        os.environ[_VARIABLE] = "1"
    module = import_module(below(_API, dotted))
    _as_on_tf1(import_module(_API))
    keras_is_loaded()
    return module


def _as_on_tf1(keras: Any) -> None:
    _keras_names.keep(keras)
    _methods.give_to_keras(keras)


def layers(tf: Any, package: Any, version: Any) -> dict[str, Layer]:
    """The namespaces of Keras.

    Args:
        tf: TensorFlow's TF1 API.
        package: TensorFlow.
        version: TensorFlow's.
    """

    def base() -> Any:
        if not is_tf1(package):
            _as_on_tf1(tf.keras)
        return tf.keras

    root = {"tf": lambda: import_module(ROOT)}  # K.tf, of standalone Keras.
    if has_keras_3(version):
        keras = _in_place_of_keras_3(root)
    else:
        keras = {"keras": Layer({}, base=base), "keras.backend": Layer(root)}
    for namespace in ("keras", "keras.backend"):
        keras[namespace] = keras[namespace]._replace(missing=_missing)
    keras.update(_paths_of_standalone_keras())
    # Standalone Keras' name for its TensorFlow backend.
    keras["keras.backend.tensorflow_backend"] = Layer(root, base=partial(_module, "backend"))
    return keras


def _in_place_of_keras_3(root: dict[str, Factory]) -> dict[str, Layer]:
    if _refused():
        # The user's own choice: Keras 3 as it is, and what programs need around Sessions.
        keras_3 = "keras._tf_keras.keras"
        return {
            "keras": Layer({}, base=partial(import_module, keras_3)),
            "keras.backend": Layer(dict(root, **_sessions()), base=partial(import_module, keras_3 + ".backend")),
        }

    sessions = {} if _installed() else _sessions()
    return {
        "keras": Layer({}, base=partial(keras_2, "", "tf.keras")),
        "keras.backend": Layer(dict(root, **sessions), base=partial(keras_2, "backend", "tf.keras.backend")),
        "layers": Layer({}, base=partial(keras_2, "__internal__.legacy.layers", "tf.layers")),
        "nn.rnn_cell": Layer({}, base=partial(keras_2, "__internal__.legacy.rnn_cell", "tf.nn.rnn_cell")),
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
    found = {"keras.objectives": Layer({}, base=partial(_module, "losses"), missing=_not_public, required=True)}
    for namespace, files in keras_files.FILES.items():
        found["keras." + namespace] = Layer({}, missing=_missing, required=True)
        for file in files.split():
            path = f"keras.{namespace}.{file}"
            found[path] = Layer({}, base=partial(_module, namespace), missing=_not_public, required=True)
    for path in (
        "keras.mixed_precision",
        "keras.mixed_precision.experimental",
        "keras.wrappers",
        "keras.wrappers.scikit_learn",
    ):
        found[path] = Layer({}, missing=_missing)
    names = {name: _member(namespace, name) for name, namespace in _ENGINE.items()}
    for path in ["keras.engine"] + ["keras.engine." + file for file in keras_files.ENGINE_FILES]:
        found[path] = Layer(names, base=_empty(path), missing=_not_public, required=True)
    return found


def _module(namespace: str) -> Any:
    return import_module(below(ROOT + ".keras", namespace))


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
    """What tf1mem brings; of anything else it says that Keras has no such name, as the program spells it."""
    if name in keras_files.BROUGHT.get(dotted, ()):
        return getattr(import_module(_BROUGHT[dotted]), name)
    raise RemovedSymbolError(
        located(f"{dotted}.{name}"),
        "the Keras of this TensorFlow has no such name",
        "Use what tf.keras has in its place, or bring its code into the program",
    )
