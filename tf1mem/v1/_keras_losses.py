"""The cosine losses and the Huber loss of tf.keras as on TensorFlow 1.15.

On TensorFlow 1.14 and 1.15 a cosine loss is the cosine, on 1.13 and TensorFlow 2 its negative: a program that negates
the loss would train in the wrong direction, without an error. Standalone Keras always had the negative, and keeps it.

The names of two functions, which are keys of a history as metrics, are those of TensorFlow 1 and of standalone Keras:
`kullback_leibler_divergence` and `logcosh`.

TensorFlow 1.15's Huber loss has a value for each element. TensorFlow 2's has the mean along the last axis: sums of the
two differ.
"""

from __future__ import annotations

import functools
import inspect
import logging
import sys
from importlib import import_module
from types import FunctionType
from typing import Any, Callable, Mapping

from tf1mem.hooks.wrappers import give, put, put_around
from tf1mem.v1 import _keras_alone
from tf1mem.v1._keras_package import keras_file
from tf1mem.v1._namespace import ROOT, Factory, Layer

log = logging.getLogger("tf1mem")

_HOME = f"{ROOT}.keras.losses"
_CLASSES = ("CosineSimilarity", "Huber")
_FUNCTIONS = {
    "keras.losses": ("cosine", "cosine_proximity", "cosine_similarity"),
    "keras.metrics": ("cosine", "cosine_proximity"),
}


def layers(keras: Callable[[], Any], standalone: str) -> dict[str, Layer]:
    """Returns a layer for each namespace of tf.keras and of standalone Keras with losses that differ.

    Args:
        keras: Returns the TF1 API of Keras 2, with Keras's own losses.
        standalone: The namespace of standalone Keras below tf1mem.v1.

    Returns:
        Dict of dotted namespace -> layer.
    """

    def own(namespace: str) -> Any:
        return getattr(keras(), namespace.rpartition(".")[2])

    def standalone_own(namespace: str) -> Any:
        _keras_alone.compute_as_standalone()
        return own(namespace)

    def loss(name: str) -> Any:
        return _losses(own("losses"))[name]

    overlays = {}
    for namespace, functions in _FUNCTIONS.items():
        names: dict[str, Factory] = {name: functools.partial(loss, "cosine_proximity") for name in functions}
        names["deserialize"] = functools.partial(_deserialize_of, functools.partial(own, namespace))
        if namespace == "keras.losses":
            names.update({name: functools.partial(loss, name) for name in _CLASSES})
        overlays[namespace] = Layer(names)
        of_module = functools.partial(standalone_own, namespace)
        of_standalone = ["binary_accuracy"] if namespace == "keras.metrics" else []
        overlays[namespace.replace("keras", standalone, 1)] = Layer(
            {name: functools.partial(_standalone, of_module, name) for name in of_standalone}, base=of_module
        )
    overlays["python.keras.losses"] = overlays["keras.losses"]  # TensorFlow's own file
    return overlays


def _deserialize_of(own: Callable[[], Any]) -> Any:
    """Returns `deserialize` of the file that defines `own().get`."""
    return vars(sys.modules[own().get.__module__])["deserialize"]  # the wrapped one, which `get` calls


def _standalone(own: Callable[[], Any], name: str) -> Any:
    """Returns standalone Keras's function of a name, which is in the file that defines `own().get`."""
    return vars(sys.modules[own().get.__module__])[name]


@functools.lru_cache(maxsize=None)
def resolve_as_tf1(keras: Any) -> None:
    """Makes `get` and a model's `compile` resolve the names of these losses to TensorFlow 1.15's functions.

    In programs for standalone Keras, names resolve to Keras's own functions.

    Args:
        keras: The TF1 API of Keras 2.
    """
    losses, metrics = keras_file(keras.Model, "losses"), keras_file(keras.Model, "metrics")
    if not hasattr(losses, "cosine_similarity") or not hasattr(metrics, "cosine_proximity"):
        return
    give(losses, {"cosine_proximity": losses.cosine_similarity})
    for name in ("kullback_leibler_divergence", "logcosh"):
        function = getattr(losses, name, None)
        while function is not None:  # each wrapper, and what it wraps
            put(function, "__name__", name)
            function = getattr(function, "__wrapped__", None)
    of_losses = {
        inspect.unwrap(getattr(losses, name)): loss
        for name, loss in _losses(keras.losses).items()
        if hasattr(losses, name)
    }
    put_around(losses, "deserialize", functools.partial(_resolving, of_losses))
    # A metric is the cosine in every TensorFlow 2; its name is a key of the history that `fit` returns.
    of_metrics = {inspect.unwrap(metrics.cosine_proximity): _cosine(lambda: None)}
    put_around(metrics, "deserialize", functools.partial(_resolving, of_metrics))


def _resolving(replacements: Mapping[Any, Any], deserialize: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a wrapper of Keras's `deserialize` that replaces functions, classes and instances of the classes.

    Args:
        replacements: Keras's function or class, without wrappers -> TensorFlow 1's.
        deserialize: Keras's function.
    """

    def resolve(*args: Any, **kwargs: Any) -> Any:
        resolved = deserialize(*args, **kwargs)
        if _keras_alone.is_in_use():
            return resolved
        if type(resolved) in replacements:
            return replacements[type(resolved)].from_config(resolved.get_config())
        if not isinstance(resolved, (FunctionType, type)):
            return resolved
        return replacements.get(inspect.unwrap(resolved), resolved)  # `tf.set_random_seed` wraps functions

    return resolve


@functools.lru_cache(maxsize=None)
def _losses(own: Any) -> dict[str, Any]:
    """Returns TensorFlow 1.15's loss functions and loss classes by name.

    Args:
        own: The module with Keras's own losses.
    """
    cosine = _cosine(_warn)
    return {
        "cosine_proximity": cosine,
        "huber_loss": huber_loss,
        "CosineSimilarity": _class_of(own.CosineSimilarity, cosine),
        "Huber": _class_of(own.Huber, huber_loss),
    }


def _class_of(own_class: Any, function: Callable[..., Any]) -> Any:
    """Returns a subclass of a loss class of Keras that computes the loss by another function."""

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
        delta: The loss is quadratic for errors up to `delta`, and linear for larger ones.
    """
    tf = import_module(ROOT)
    dtype = tf.keras.backend.floatx()
    error = tf.abs(tf.subtract(tf.cast(y_pred, dtype), tf.cast(y_true, dtype)))
    quadratic = tf.minimum(error, delta)
    linear = tf.subtract(error, quadratic)
    return 0.5 * (quadratic * quadratic) + delta * linear


vars(huber_loss)["autograph_info__"] = {}


def _cosine(before: Callable[[], None]) -> Any:
    """Returns TensorFlow 1.15's `cosine_proximity`, which adds the same ops to a graph.

    Args:
        before: Called before the ops are added, at each call.
    """

    def cosine_proximity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
        """Returns the cosine of the angle between labels and predictions along an axis.

        Args:
            y_true: Labels, `[batch, ..., features]`.
            y_pred: Predictions, of the same shape.
            axis: The axis of the features.

        Returns:
            Tensor of the labels' shape without that axis.
        """
        before()
        tf = import_module(ROOT)
        return tf.reduce_sum(tf.nn.l2_normalize(y_true, axis=axis) * tf.nn.l2_normalize(y_pred, axis=axis), axis=axis)

    cosine_proximity.__module__, cosine_proximity.__qualname__ = _HOME, cosine_proximity.__name__
    vars(cosine_proximity)["autograph_info__"] = {}  # AutoGraph leaves it alone, as it does TensorFlow's
    return cosine_proximity


@functools.lru_cache(maxsize=None)
def _warn() -> None:
    """Warns once that the sign of cosine losses depends on the version."""
    log.warning(
        "tf.keras's cosine losses are the cosine itself, as on TensorFlow 1.14 and 1.15; "
        "TensorFlow 1.13, TensorFlow 2 and the package keras have its negative."
    )
