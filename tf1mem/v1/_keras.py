"""tf.keras in graph mode, with Sessions, on every TensorFlow, and the module paths of standalone Keras 2.

From 2.16 on, `tf.keras` is Keras 3, which has no graph mode and no Sessions. The package tf_keras is Keras 2, which
`machine.legacy_keras` selects.

Programs for standalone Keras 2 import from files that `tf.keras` lacks, though it has their names:
`keras.layers.core.Dense` is `tf.keras.layers.Dense`.
"""

from __future__ import annotations

import functools
import inspect
import os
from functools import partial
from importlib import import_module
from typing import Any, Callable

from tf1mem.errors import MissingPackageError, RemovedSymbolError
from tf1mem.machine import legacy_keras
from tf1mem.machine.legacy_keras import has_keras_3
from tf1mem.machine.modules import dotted_name
from tf1mem.machine.tensorflow import is_tf1
from tf1mem.names import keras_files
from tf1mem.v1 import (
    _keras_1,
    _keras_applications,
    _keras_callbacks,
    _keras_files,
    _keras_functions,
    _keras_losses,
    _keras_names,
    _methods,
)
from tf1mem.v1._keras_package import keras_file
from tf1mem.v1._namespace import ROOT, Factory, Layer, empty_module, located
from tf1mem.v1._seeds import keras_is_loaded

_API = "tf_keras.api._v1.keras"
_VERSION = "2.2.4-tf"  # TensorFlow 1.15's; tf_keras's API of TensorFlow 1 has none

# Name in keras.engine -> namespace of tf.keras that has it.
_ENGINE = {
    "Input": "",
    "InputLayer": "layers",
    "InputSpec": "layers",
    "Layer": "layers",
    "Model": "",
    "get_source_inputs": "utils",
}

# The files that weights of HDF5 files are read and written by, of the newer Keras first.
_HDF5 = ["saving.legacy.hdf5_format", "saving.hdf5_format", "engine.saving"]

# Their functions that took a list of layers.
_WEIGHTS_OF_LAYERS = frozenset(
    ["load_weights_from_hdf5_group", "load_weights_from_hdf5_group_by_name", "save_weights_to_hdf5_group"]
)

# File of standalone Keras -> the files that have its names in a later Keras.
_SPLIT = {
    **{f"backend.{file}": ["backend"] for file in keras_files.BACKEND_FILES},
    "engine.saving": _HDF5,
    "engine.topology": ["engine.base_layer", "engine.input_layer", "engine.network", "engine.node", *_HDF5],
    "layers.merge": ["layers.merging.base_merge", "layers.merge"],
    "engine.training_utils": ["engine.training_utils_v1", "engine.training_utils", "utils.generic_utils"],
}


def keras_2(dotted: str, symbol: str) -> Any:
    """Returns a module of Keras 2's TF1 API.

    Args:
        dotted: Dotted name below `keras`, such as "backend"; "" for `keras`.
        symbol: Name that the program uses, for the error.

    Raises:
        MissingPackageError: tf_keras is not installed.
    """
    if not legacy_keras.is_installed():
        raise MissingPackageError(
            located(symbol),
            "TensorFlow 2.16 and later have no Keras for graph mode without tf_keras",
            "pip install tf_keras",
        )
    # Not through tensorflow.keras, which may have chosen Keras 3 before tf1mem was imported.
    if legacy_keras.VARIABLE not in os.environ:  # no setdefault: a test's replacement for os.environ may lack it
        os.environ[legacy_keras.VARIABLE] = "1"
    module = import_module(dotted_name(_API, dotted))
    _as_on_tf1(import_module(_API))
    keras_is_loaded()
    return module


def _as_on_tf1(keras: Any) -> None:
    """Gives Keras 2 TensorFlow 1's names, losses and files, and the methods and arguments that it lost."""
    _keras_names.keep(keras)
    _keras_losses.resolve_as_tf1(keras)
    _keras_functions.compute_as_tf1(keras)
    _keras_files.save_as_tf1(keras)
    _keras_applications.build_as_tf1(keras)
    _keras_callbacks.call_back_as_tf1(keras)
    import_module("tf1mem.v1._keras_images").transform_as_tf1(keras)  # late: it needs NumPy, as Keras does
    _methods.give_to_keras(keras)


def layers(tf: Any, package: Any, version: Any) -> dict[str, Layer]:
    """Returns a `_namespace.Layer` for each of Keras's namespaces, by dotted name.

    Args:
        tf: TensorFlow's TF1 API.
        package: The module `tensorflow`.
        version: TensorFlow's version, or None if it isn't known.
    """

    def base() -> Any:
        if not is_tf1(package):
            _as_on_tf1(tf.keras)
        return tf.keras

    root = {"tf": lambda: import_module(ROOT)}  # K.tf, of standalone Keras.
    if has_keras_3(version):
        keras = _in_place_of_keras_3(root)
    else:
        names = {} if is_tf1(package) else {"__version__": lambda: _VERSION}
        keras = {"keras": Layer(names, base=base), "keras.backend": Layer(root)}
    for namespace in ("keras", "keras.backend"):
        keras[namespace] = keras[namespace]._replace(missing=_missing)
    keras.update(_paths_of_standalone_keras())
    for file in keras_files.BACKEND_FILES:
        keras[f"keras.backend.{file}"] = Layer(root, base=partial(_module, "backend"), missing=_not_public)
    is_keras_2 = not (has_keras_3(version) and legacy_keras.is_refused())
    keras.update(_keras_1.layers(is_keras_2))
    if is_keras_2 and not is_tf1(package):
        own = keras["keras"].base
        assert own is not None
        keras.update(_keras_losses.layers(own, _keras_1.TOP))
    return keras


def _in_place_of_keras_3(root: dict[str, Factory]) -> dict[str, Layer]:
    """Returns a layer for each namespace that leads to Keras 3 without tf1mem; it leads to Keras 2 unless refused."""
    if legacy_keras.is_refused():
        # The user's choice: Keras 3 unchanged, plus the backend's functions for Sessions.
        keras_3 = "keras._tf_keras.keras"
        return {
            "keras": Layer({}, base=partial(import_module, keras_3)),
            "keras.backend": Layer(dict(root, **_sessions()), base=partial(import_module, keras_3 + ".backend")),
        }

    # Without tf_keras, the functions for Sessions still work; Keras's own names raise an error.
    sessions = {} if legacy_keras.is_installed() else _sessions()
    return {
        "keras": Layer({"__version__": lambda: _VERSION}, base=partial(keras_2, "", "tf.keras")),
        "keras.backend": Layer(dict(root, **sessions), base=partial(keras_2, "backend", "tf.keras.backend")),
        "layers": Layer({}, base=partial(keras_2, "__internal__.legacy.layers", "tf.layers")),
        "nn.rnn_cell": Layer({}, base=partial(keras_2, "__internal__.legacy.rnn_cell", "tf.nn.rnn_cell")),
    }


def _sessions() -> dict[str, Factory]:
    """Returns set_session, get_session and clear_session for Keras 3; a Session applies its config itself."""
    stored: list[Any] = []

    def set_session(session: Any) -> None:
        """Stores a Session for `get_session`. Keras 3 itself does not use it."""
        stored[:] = [session]

    def get_session(op_input_list: Any = ()) -> Any:
        """Returns the default Session, else the stored one, else a new one."""
        tf = import_module(ROOT)
        default = tf.get_default_session()
        if default is not None:
            return default
        if not stored:
            stored.append(tf.Session())
        return stored[0]

    def clear_session() -> None:
        """Drops the stored Session and resets the default graph."""
        stored.clear()
        import_module(ROOT).reset_default_graph()

    return {
        "set_session": lambda: set_session,
        "get_session": lambda: get_session,
        "clear_session": lambda: clear_session,
    }


def _paths_of_standalone_keras() -> dict[str, Layer]:
    """Returns a layer for each file of standalone Keras 2 that `tf.keras` lacks."""
    overlays = {}
    for path, namespace in keras_files.RENAMED.items():
        overlays["keras." + path] = Layer({}, base=partial(_module, namespace), missing=_not_public, required=True)
    for namespace, files in keras_files.FILES.items():
        overlays["keras." + namespace] = Layer({}, missing=_missing, required=True)
        for file in files:
            path = f"keras.{namespace}.{file}"
            overlays[path] = Layer({}, base=partial(_module, namespace), missing=_not_public, required=True)
    for path in (
        "keras.mixed_precision",
        "keras.mixed_precision.experimental",
        "keras.wrappers",
        "keras.wrappers.scikit_learn",
    ):
        overlays[path] = Layer({}, missing=_missing)
    names = {name: _member(namespace, name) for name, namespace in _ENGINE.items()}
    for path in ["keras.engine"] + ["keras.engine." + file for file in keras_files.ENGINE_FILES]:
        overlays[path] = Layer(names, base=_empty(path), missing=_not_public, required=True)
    return overlays


def _module(namespace: str) -> Any:
    return import_module(dotted_name(ROOT + ".keras", namespace))


def _member(namespace: str, name: str) -> Factory:
    return lambda: getattr(_module(namespace), name)


def _empty(path: str) -> Callable[[], Any]:
    """Returns a function that makes an empty module, or raises an error if there is no Keras for graph mode."""
    empty = empty_module(path)

    def base() -> Any:
        _module("layers")  # raises if there is no Keras for graph mode
        return empty()

    return base


def _not_public(dotted: str, name: str) -> Any:
    """Returns the object of a private name from the file of Keras that still has it; raises an error if none has."""
    path = dotted[len("keras.") :]
    for file in _SPLIT.get(path, [path]):
        module = keras_file(_module("").Model, file)
        if hasattr(module, name):
            member = getattr(module, name)
            return _of_layers(member) if name in _WEIGHTS_OF_LAYERS else member
    return _missing(dotted, name)


class _Layers:
    """A list of layers, with what Keras's functions for HDF5 files read of a model."""

    _trainable_weights: tuple[Any, ...] = ()  # those that a model has besides its layers'
    _non_trainable_weights: tuple[Any, ...] = ()

    def __init__(self, layers: Any) -> None:
        self.layers = layers

    def _flatten_layers(self) -> list[Any]:
        return [each for layer in self.layers for each in layer._flatten_layers()]


def _of_layers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that takes a list of layers, as standalone Keras did, where a later Keras wants a model."""

    @functools.wraps(function)
    def of_layers(f: Any, layers: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(layers, (list, tuple)):
            layers = _Layers(layers)
        return function(f, layers, *args, **kwargs)

    return of_layers if "model" in inspect.signature(function).parameters else function


def _missing(dotted: str, name: str) -> Any:
    """Returns the object of a name that tf1mem supplies; for any other name, raises an error that spells it in full."""
    file = keras_files.BROUGHT.get(dotted, {}).get(name)
    if file is not None:
        return getattr(import_module(f"{ROOT}.{file}"), name)
    raise RemovedSymbolError(
        located(f"{dotted}.{name}"),
        "the Keras of this TensorFlow has no such name",
        "Use its replacement in tf.keras, or copy its code into the program",
    )
