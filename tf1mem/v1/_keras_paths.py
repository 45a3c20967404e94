"""The module paths of standalone Keras 2, from which programs of its time imported.

`tf.keras` has the same names without the paths: `keras.layers.core.Dense` is `tf.keras.layers.Dense`.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any, Callable

from tf1mem.errors import RemovedSymbolError
from tf1mem.v1._namespace import ROOT, Layer, import_or_none
from tf1mem.v1._where import asked

# Namespace of tf.keras -> the files that standalone Keras had it in.
FILES = {
    "layers": "advanced_activations convolutional convolutional_recurrent core embeddings local merge noise "
    "normalization pooling recurrent wrappers",
    "utils": "conv_utils data_utils generic_utils io_utils layer_utils np_utils training_utils vis_utils",
}

# Where tf.keras has the names of keras.engine.
ENGINE = {
    "Input": "",
    "InputLayer": "layers",
    "InputSpec": "layers",
    "Layer": "layers",
    "Model": "",
    "get_source_inputs": "utils",
}
ENGINE_FILES = "base_layer input_layer network saving sequential topology training training_utils".split()

# The files that keras.engine.topology was split into later.
_SPLIT = {"engine.topology": ["engine.base_layer", "engine.input_layer", "engine.network", "engine.node"]}


def layers() -> dict[str, Layer]:
    """The namespaces that only standalone Keras had."""
    found = {"keras.objectives": Layer({}, base=_public("losses"), missing=_inside, required=True)}
    for namespace, files in FILES.items():
        found["keras." + namespace] = Layer({}, missing=gone, required=True)
        for file in files.split():
            path = f"keras.{namespace}.{file}"
            found[path] = Layer({}, base=_public(namespace), missing=_inside, required=True)
    names = {name: _member(namespace, name) for name, namespace in ENGINE.items()}
    for path in ["keras.engine"] + ["keras.engine." + file for file in ENGINE_FILES]:
        found[path] = Layer(names, base=_nothing(path), missing=_inside, required=True)
    return found


def gone(dotted: str, name: str) -> Any:
    """Says that Keras has no such name, as the program spells it.

    Raises:
        RemovedSymbolError: Always.
    """
    raise RemovedSymbolError(
        asked(f"{dotted}.{name}"),
        "the Keras of this TensorFlow has no such name",
        "Use what tf.keras has in its place, or bring its code into the program",
    )


def _module(namespace: str) -> Any:
    return import_module(".".join(filter(None, (ROOT, "keras", namespace))))


def _public(namespace: str) -> Callable[[], Any]:
    return lambda: _module(namespace)


def _member(namespace: str, name: str) -> Callable[[], Any]:
    return lambda: getattr(_module(namespace), name)


def _nothing(path: str) -> Callable[[], Any]:
    empty = ModuleType(f"{ROOT}.{path}")

    def base() -> Any:
        _module("layers")  # Raises where there is no Keras for graph mode.
        return empty

    return base


def _inside(dotted: str, name: str) -> Any:
    """A name that is not public, from the file of Keras' own that still has it."""
    package, engine, _ = _module("").Model.__module__.partition(".engine.")
    path = dotted[len("keras.") :]
    for file in _SPLIT.get(path, [path]) if engine else ():
        module = import_or_none(f"{package}.{file}")
        if hasattr(module, name):
            return getattr(module, name)
    return gone(dotted, name)
