"""Methods that Keras's layers and models had on TensorFlow 1.15, where Keras has them no longer."""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any

from tf1mem.v1._namespace import ROOT


@functools.lru_cache(maxsize=None)
def give(keras: Any) -> None:
    """Gives Keras 2's layers and models the methods that went; what is there stays.

    Args:
        keras: Its TF1 API.
    """
    given: dict[Any, dict[str, Any]] = {
        keras.layers.Layer: {"apply": _apply},
        keras.Sequential: {"predict_classes": _predict_classes, "predict_proba": _predict_proba},
    }
    for owner, methods in given.items():
        for name, method in methods.items():
            if not hasattr(owner, name):
                setattr(owner, name, method)


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
