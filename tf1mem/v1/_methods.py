"""Methods that layers, models and strategies had on TensorFlow 1.15, where they have them no longer."""

from __future__ import annotations

import functools
import inspect
from importlib import import_module
from typing import Any, Callable

from tf1mem.hooks.wrappers import give, put_around
from tf1mem.v1._namespace import ROOT, import_or_none


@functools.lru_cache(maxsize=None)
def give_to_keras(keras: Any) -> None:
    """Gives Keras 2's layers and models the methods and arguments that went; what is there stays.

    Args:
        keras: Its TF1 API.
    """
    give(keras.layers.Layer, {"apply": _apply})
    give(keras.Sequential, {"predict_classes": _predict_classes, "predict_proba": _predict_proba})
    package = keras.Model.__module__.partition(".engine.")[0]
    graphs: Any = import_or_none(f"{package}.engine.base_layer_v1")  # whose layers are those of graph mode
    for layer in (keras.layers.Layer, *([graphs.Layer] if graphs is not None else ())):
        if "inputs" not in inspect.signature(layer.add_update).parameters:
            put_around(layer, "add_update", _with_inputs)


def give_to_strategies(tf: Any) -> None:
    """Gives strategies the method that went.

    Args:
        tf: TensorFlow's TF1 API.
    """
    give(tf.distribute.Strategy, {"experimental_run_v2": _experimental_run_v2})


def _experimental_run_v2(strategy: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
    """Runs a function in each replica.

    Args:
        strategy: A tf.distribute.Strategy.
        fn: The function.
        args: Its positional arguments.
        kwargs: Its others.
    """
    return strategy.run(fn, args=args, kwargs=kwargs)


def _with_inputs(add_update: Callable[..., None]) -> Callable[..., None]:
    """Takes the inputs that updates depend on, which Keras finds out itself since."""

    def with_inputs(self: Any, updates: Any, inputs: Any = None) -> None:
        add_update(self, updates)

    return with_inputs


def _apply(layer: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls the layer."""
    return layer(inputs, *args, **kwargs)


def _predict_classes(model: Any, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
    """The class that each sample is most likely of; of a single output, whether it is above one half.

    Args:
        model: A Sequential.
        x: Samples: an array, or a list of them.
        batch_size: In samples.
        verbose: 1 to show how far it has come.
    """
    proba = model.predict(x, batch_size=batch_size, verbose=verbose)
    return proba.argmax(axis=-1) if proba.shape[-1] > 1 else (proba > 0.5).astype("int32")


def _predict_proba(model: Any, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
    """What `predict` gives, with a warning where it can be no probability.

    Args:
        model: A Sequential.
        x: Samples: an array, or a list of them.
        batch_size: In samples.
        verbose: 1 to show how far it has come.
    """
    proba = model.predict(x, batch_size=batch_size, verbose=verbose)
    if proba.min() < 0 or proba.max() > 1:
        tf = import_module(ROOT)
        tf.logging.warning("The model's outputs are no probabilities; its last layer may lack a softmax or sigmoid.")
    return proba
