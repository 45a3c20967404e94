"""The sign of tf.keras's cosine losses, and their names, as on TensorFlow 1.15.

TensorFlow 1.14 and 1.15 return the cosine itself, 1.13 and TensorFlow 2 its negative: a program that negates the loss
would train the wrong way without an error. Keras's own package always had the negative, and keeps it.
"""

from __future__ import annotations

import functools
import logging
import sys
from importlib import import_module
from types import FunctionType
from typing import Any, Callable, Mapping

from tf1mem.hooks.wrappers import give, put_around
from tf1mem.v1._namespace import ROOT, Factory, Layer, import_or_none

log = logging.getLogger("tf1mem")

_HOME = f"{ROOT}.keras.losses"
_CLASS = "CosineSimilarity"
_FUNCTIONS = {
    "keras.losses": ("cosine", "cosine_proximity", "cosine_similarity"),
    "keras.metrics": ("cosine", "cosine_proximity"),
}


def layers(keras: Callable[[], Any], alone: str) -> dict[str, Layer]:
    """Returns a layer for each namespace with cosine losses: of tf.keras, and of Keras's own package.

    Args:
        keras: Returns the TF1 API of Keras 2, with Keras's own losses.
        alone: The namespace of Keras's own package.
    """

    def own(namespace: str) -> Any:
        return getattr(keras(), namespace.rpartition(".")[2])

    overlays = {}
    for namespace, functions in _FUNCTIONS.items():
        names: dict[str, Factory] = {name: lambda: _losses(own("losses"))[0] for name in functions}
        names["deserialize"] = functools.partial(_deserialize_of, functools.partial(own, namespace))
        if namespace == "keras.losses":
            names[_CLASS] = lambda: _losses(own("losses"))[1]
        overlays[namespace] = Layer(names)
        overlays[namespace.replace("keras", alone, 1)] = Layer({}, base=functools.partial(own, namespace))
    overlays["python.keras.losses"] = overlays["keras.losses"]  # TensorFlow's own file
    return overlays


def _deserialize_of(own: Callable[[], Any]) -> Any:
    return vars(sys.modules[own().get.__module__])["deserialize"]  # the wrapped one, which `get` calls


@functools.lru_cache(maxsize=None)
def resolve_as_tf1(keras: Any, alone: str) -> None:
    """Makes Keras resolve the names of the cosine as TensorFlow 1.15 did, in `get` and in a model's `compile`.

    Args:
        keras: The TF1 API of Keras 2.
        alone: The namespace of Keras's own package. A program that has imported it gets Keras's own functions by name.
    """
    package = keras.Model.__module__.partition(".engine.")[0]
    losses: Any = import_or_none(f"{package}.losses")
    metrics: Any = import_or_none(f"{package}.metrics")
    if not hasattr(losses, "cosine_similarity") or not hasattr(metrics, "cosine_proximity"):
        return
    cosine, cosine_class = _losses(keras.losses)
    give(losses, {"cosine_proximity": losses.cosine_similarity})
    of_losses = {losses.cosine_similarity: cosine, getattr(losses, _CLASS): cosine_class}
    put_around(losses, "deserialize", functools.partial(_resolving, of_losses, alone))
    # A metric is the cosine in every TensorFlow 2; its name is a key of the history that `fit` returns.
    of_metrics = {metrics.cosine_proximity: _cosine(lambda: None)}
    put_around(metrics, "deserialize", functools.partial(_resolving, of_metrics, alone))


def _resolving(replacements: Mapping[Any, Any], alone: str, deserialize: Callable[..., Any]) -> Callable[..., Any]:
    """Returns Keras's `deserialize`, with replacements for functions, classes and instances of the classes."""

    def resolve(*args: Any, **kwargs: Any) -> Any:
        resolved = deserialize(*args, **kwargs)
        if f"{ROOT}.{alone}" in sys.modules:
            return resolved
        if type(resolved) in replacements:
            return replacements[type(resolved)].from_config(resolved.get_config())
        is_replaced = isinstance(resolved, (FunctionType, type)) and resolved in replacements
        return replacements[resolved] if is_replaced else resolved

    return resolve


@functools.lru_cache(maxsize=None)
def _losses(own: Any) -> tuple[Any, Any]:
    """Returns TensorFlow 1.15's function and its class of cosine losses.

    Args:
        own: The module with Keras's own losses.
    """
    own_class, cosine = getattr(own, _CLASS), _cosine(_say)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        own_class.__init__(self, *args, **kwargs)
        self.fn = cosine

    members = {"__init__": functools.wraps(own_class.__init__)(__init__), "__module__": _HOME}
    return cosine, type(own_class)(_CLASS, (own_class,), {**members, "__doc__": own_class.__doc__})


def _cosine(before: Callable[[], None]) -> Any:
    """Returns TensorFlow 1.15's function of the cosine, which makes the ops that it made there.

    Args:
        before: Called before each call.
    """

    def cosine_proximity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
        """Returns the cosine of the angle between labels and predictions along an axis.

        Args:
            y_true: Labels, [batch, …, features].
            y_pred: Predictions, of the same shape.
            axis: The axis of the features.
        """
        before()
        tf = import_module(ROOT)
        return tf.reduce_sum(tf.nn.l2_normalize(y_true, axis=axis) * tf.nn.l2_normalize(y_pred, axis=axis), axis=axis)

    cosine_proximity.__module__, cosine_proximity.__qualname__ = _HOME, cosine_proximity.__name__
    vars(cosine_proximity)["autograph_info__"] = {}  # AutoGraph leaves it alone, as it does TensorFlow's
    return cosine_proximity


@functools.lru_cache(maxsize=None)
def _say() -> None:
    log.warning(
        "tf.keras's cosine losses are the cosine itself, as on TensorFlow 1.14 and 1.15; "
        "TensorFlow 1.13, TensorFlow 2 and the package keras have its negative."
    )
