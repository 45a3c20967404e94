"""tf.keras's cosine losses, their sign and their names, and its Huber loss, as on TensorFlow 1.15.

TensorFlow 1.14 and 1.15 return the cosine itself, 1.13 and TensorFlow 2 its negative: a program that negates the loss
would train the wrong way without an error. Keras's own package always had the negative, and keeps it.

TensorFlow 1.15's Huber loss has a value for each element, TensorFlow 2's the mean along the last axis: the sum differs.
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
_CLASSES = ("CosineSimilarity", "Huber")
_FUNCTIONS = {
    "keras.losses": ("cosine", "cosine_proximity", "cosine_similarity"),
    "keras.metrics": ("cosine", "cosine_proximity"),
}


def layers(keras: Callable[[], Any], alone: str) -> dict[str, Layer]:
    """Returns a layer for each namespace with losses that differ: of tf.keras, and of Keras's own package.

    Args:
        keras: Returns the TF1 API of Keras 2, with Keras's own losses.
        alone: The namespace of Keras's own package.
    """

    def own(namespace: str) -> Any:
        return getattr(keras(), namespace.rpartition(".")[2])

    def loss(name: str) -> Any:
        return _losses(own("losses"))[name]

    overlays = {}
    for namespace, functions in _FUNCTIONS.items():
        names: dict[str, Factory] = {name: functools.partial(loss, "cosine_proximity") for name in functions}
        names["deserialize"] = functools.partial(_deserialize_of, functools.partial(own, namespace))
        if namespace == "keras.losses":
            names.update({name: functools.partial(loss, name) for name in _CLASSES})
        overlays[namespace] = Layer(names)
        overlays[namespace.replace("keras", alone, 1)] = Layer({}, base=functools.partial(own, namespace))
    overlays["python.keras.losses"] = overlays["keras.losses"]  # TensorFlow's own file
    return overlays


def _deserialize_of(own: Callable[[], Any]) -> Any:
    return vars(sys.modules[own().get.__module__])["deserialize"]  # the wrapped one, which `get` calls


@functools.lru_cache(maxsize=None)
def resolve_as_tf1(keras: Any, alone: str) -> None:
    """Makes Keras resolve the names of such losses as TensorFlow 1.15 did, in `get` and in a model's `compile`.

    Args:
        keras: The TF1 API of Keras 2.
        alone: The namespace of Keras's own package. A program that has imported it gets Keras's own functions by name.
    """
    package = keras.Model.__module__.partition(".engine.")[0]
    losses: Any = import_or_none(f"{package}.losses")
    metrics: Any = import_or_none(f"{package}.metrics")
    if not hasattr(losses, "cosine_similarity") or not hasattr(metrics, "cosine_proximity"):
        return
    give(losses, {"cosine_proximity": losses.cosine_similarity})
    of_losses = {getattr(losses, name): loss for name, loss in _losses(keras.losses).items() if hasattr(losses, name)}
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
def _losses(own: Any) -> dict[str, Any]:
    """Returns TensorFlow 1.15's functions and classes of losses by name.

    Args:
        own: The module with Keras's own losses.
    """
    cosine = _cosine(_say)
    return {
        "cosine_proximity": cosine,
        "huber_loss": huber_loss,
        "CosineSimilarity": _class_of(own.CosineSimilarity, cosine),
        "Huber": _class_of(own.Huber, huber_loss),
    }


def _class_of(own_class: Any, function: Callable[..., Any]) -> Any:
    """Returns a class like Keras's own class of a loss, with another function."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        own_class.__init__(self, *args, **kwargs)
        self.fn = function

    members = {"__init__": functools.wraps(own_class.__init__)(__init__), "__module__": _HOME}
    return type(own_class)(own_class.__name__, (own_class,), {**members, "__doc__": own_class.__doc__})


def huber_loss(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Returns TensorFlow 1.15's Huber loss of each element, of the shape of the arguments.

    Args:
        y_true: Labels.
        y_pred: Predictions, of the same shape.
        delta: The error from which on the loss is linear.
    """
    tf = import_module(ROOT)
    dtype = tf.keras.backend.floatx()
    error = tf.abs(tf.subtract(tf.cast(y_pred, dtype), tf.cast(y_true, dtype)))
    quadratic = tf.minimum(error, delta)
    linear = tf.subtract(error, quadratic)
    return 0.5 * (quadratic * quadratic) + delta * linear


vars(huber_loss)["autograph_info__"] = {}


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
