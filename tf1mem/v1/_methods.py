"""Adds the methods that layers, models and strategies had in TensorFlow 1.15 to a TensorFlow that removed them."""

from __future__ import annotations

import functools
import inspect
from importlib import import_module
from typing import Any, Callable

from tf1mem.hooks.wrappers import give, put_around
from tf1mem.v1._namespace import ROOT, import_or_none


@functools.lru_cache(maxsize=None)
def give_to_keras(keras: Any) -> None:
    """Adds removed methods and arguments to Keras 2's layers and models; existing ones stay.

    Args:
        keras: The TF1 API of Keras 2.
    """
    give(keras.layers.Layer, {"apply": _apply})
    give(keras.Sequential, {"predict_classes": _predict_classes, "predict_proba": _predict_proba})
    package = keras.Model.__module__.partition(".engine.")[0]
    graphs: Any = import_or_none(f"{package}.engine.base_layer_v1")  # the base class of layers in graph mode
    for layer in (keras.layers.Layer, *([graphs.Layer] if graphs is not None else ())):
        if "inputs" not in inspect.signature(layer.add_update).parameters:
            put_around(layer, "add_update", _with_inputs)


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
