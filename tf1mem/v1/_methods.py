"""Adds the methods that layers, models and strategies had in TensorFlow 1.15 to a TensorFlow that removed them."""

from __future__ import annotations

import functools
import inspect
import json
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any, Callable

from tf1mem.hooks.wrappers import give, put_around
from tf1mem.v1._keras_package import keras_file
from tf1mem.v1._namespace import ROOT


@functools.lru_cache(maxsize=None)
def give_to_keras(keras: Any) -> None:
    """Adds removed methods, arguments and attributes to Keras 2's layers, models and tensors; existing ones stay.

    Args:
        keras: The TF1 API of Keras 2.
    """
    give(keras.layers.Layer, {"apply": _apply})
    give(keras.Sequential, {"predict_classes": _predict_classes, "predict_proba": _predict_proba})
    give(import_module("tensorflow").Tensor, {"_keras_shape": _KerasShape()})
    put_around(keras.Model, "to_yaml", _as_yaml)
    put_around(keras.models, "model_from_yaml", _of_yaml)
    give(keras.Model, {"uses_learning_phase": property(_uses_learning_phase)})
    if keras.Model.__reduce__ is not object.__reduce__:  # before 2.5 models can't be pickled
        put_around(keras.Model, "__reduce__", _with_hdf5)
        put_around(keras.Model, "__deepcopy__", _by_reducing)
    graphs = keras_file(keras.Model, "engine.base_layer_v1")  # the base class of layers in graph mode
    for layer in (keras.layers.Layer, *([graphs.Layer] if graphs is not None else ())):
        if "inputs" not in inspect.signature(layer.add_update).parameters:
            put_around(layer, "add_update", _with_inputs)


def _as_yaml(to_yaml: Callable[..., str]) -> Callable[..., str]:
    """Returns a model's `to_yaml`, also for a Keras that has removed it."""

    def as_yaml(model: Any, **arguments: Any) -> str:
        try:
            return to_yaml(model, **arguments)
        except RuntimeError:
            text: str = import_module("yaml").dump(json.loads(model.to_json()), **arguments)
            return text

    return as_yaml


def _of_yaml(model_from_yaml: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `model_from_yaml`, also for a Keras that has removed it: it makes plain values only, and runs no code.

    TensorFlow 2.0's calls `yaml.load` without a Loader, which PyYAML 6 refuses with a TypeError, and writes tuples.
    """

    def of_yaml(yaml_string: str, custom_objects: Any = None) -> Any:
        try:
            return model_from_yaml(yaml_string, custom_objects)
        except RuntimeError:
            config = import_module("yaml").safe_load(yaml_string)
        except TypeError:
            config = import_module("yaml").full_load(yaml_string)
        return import_module(ROOT + ".keras").models.model_from_config(config, custom_objects)

    return of_yaml


def _uses_learning_phase(model: Any) -> bool:
    """Returns True if the model has a layer that can behave in another way in training, such as Dropout."""
    return any(
        "training" in inspect.signature(layer.call).parameters
        for layer in _layers_in(model)
        if hasattr(layer, "call") and not hasattr(layer, "layers")  # not models in it, whose own layers count
    )


def _layers_in(layer: Any) -> list[Any]:
    """Returns a layer and all those inside. TensorFlow 2.0's `submodules` raises an error for a compiled model."""
    if hasattr(layer, "_flatten_layers"):
        return list(layer._flatten_layers())
    return [layer, *(each for inner in getattr(layer, "_layers", ()) for each in _layers_in(inner))]


def _with_hdf5(reduce: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Returns a model's `__reduce__`, which in graph mode keeps the model as the bytes of an HDF5 file.

    Keras 2.2 did so. Later versions can't be pickled, or only in eager mode.
    """

    def reduced(model: Any) -> Any:
        if not _is_whole_graph(model):
            return reduce(model)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "model.h5")
            model.save(str(file), save_format="h5")
            return model_of, (file.read_bytes(),)

    return reduced


def _by_reducing(deepcopy: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Returns a model's `__deepcopy__`, which in graph mode makes the copy of what `__reduce__` returns."""

    def copied(model: Any, memo: Any) -> Any:
        if not _is_whole_graph(model):
            return deepcopy(model, memo)
        make, arguments = model.__reduce__()
        memo[id(model)] = copy = make(*arguments)
        return copy

    return copied


def _is_whole_graph(model: Any) -> bool:
    """Returns True in graph mode if the model has its weights and a config."""
    eager: bool = import_module("tensorflow").compat.v1.executing_eagerly_outside_functions()
    return not eager and model.built and getattr(model, "_is_graph_network", False)


def model_of(data: bytes) -> Any:
    """Returns the model of an HDF5 file's bytes: pickled models name this function."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "model.h5")
        file.write_bytes(data)
        return import_module(ROOT + ".keras").models.load_model(str(file))


class _KerasShape:
    """The attribute `_keras_shape` of the tensors that layers return, as of standalone Keras's; it can be replaced.

    It is a tuple of the dimensions, None where one is unknown. Other tensors have no such attribute.
    """

    def __get__(self, tensor: Any, owner: Any) -> Any:
        """Returns the tuple; of the class itself, this object.

        Raises:
            AttributeError: The tensor isn't a layer's, or its rank is unknown.
        """
        if tensor is None:
            return self
        if not hasattr(tensor, "_keras_history") or tensor.shape.rank is None:
            raise AttributeError("_keras_shape")
        return tuple(tensor.shape.as_list())


def give_to_strategies(tf: Any) -> None:
    """Adds `experimental_run_v2` to strategies, if it is missing.

    Args:
        tf: TensorFlow's TF1 API.
    """
    give(tf.distribute.Strategy, {"experimental_run_v2": _experimental_run_v2})


def _experimental_run_v2(strategy: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
    """Runs a function in each replica.

    Args:
        strategy: A tf.distribute.Strategy.
        fn: The function to run.
        args: Positional arguments of `fn`.
        kwargs: Keyword arguments of `fn`.

    Returns:
        The result of `fn`, merged from the replicas as by `Strategy.run`.
    """
    return strategy.run(fn, args=args, kwargs=kwargs)


def _with_inputs(add_update: Callable[..., None]) -> Callable[..., None]:
    """Returns `add_update`, wrapped to accept and ignore `inputs`, which newer Keras infers."""

    def with_inputs(self: Any, updates: Any, inputs: Any = None) -> None:
        add_update(self, updates)

    return with_inputs


def _apply(layer: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns the result of a call of the layer."""
    return layer(inputs, *args, **kwargs)


def _predict_classes(model: Any, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
    """Returns the class with the highest score of each sample.

    Args:
        model: A Sequential with outputs `[samples, classes]`, or `[samples, 1]` for two classes.
        x: Input array, or a list of arrays.
        batch_size: Number of samples per step.
        verbose: 1 to show a progress bar, 0 for none.

    Returns:
        Integer array `[samples]`; for a single output, `[samples, 1]` of 1 where the output is above 0.5, else 0.
    """
    proba = model.predict(x, batch_size=batch_size, verbose=verbose)
    return proba.argmax(axis=-1) if proba.shape[-1] > 1 else (proba > 0.5).astype("int32")


def _predict_proba(model: Any, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
    """Returns `predict`'s outputs, and logs a warning if they are outside 0 to 1.

    Args:
        model: A Sequential with outputs `[samples, classes]`.
        x: Input array, or a list of arrays.
        batch_size: Number of samples per step.
        verbose: 1 to show a progress bar, 0 for none.
    """
    proba = model.predict(x, batch_size=batch_size, verbose=verbose)
    if proba.min() < 0 or proba.max() > 1:
        tf = import_module(ROOT)
        tf.logging.warning("The model's outputs are not probabilities; its last layer may lack a softmax or sigmoid.")
    return proba
