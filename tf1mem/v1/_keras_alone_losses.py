"""Losses and metrics of standalone Keras.

Those of `tf.keras` differ where no error shows it: crossentropies reach back to the logits of a saturated softmax or
sigmoid, hinge losses take labels of 0 and 1 for -1 and 1, binary accuracy knows no prediction but 0 and 1, the cosine
as a metric has the other sign, and weights of zero count as examples.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable

from tf1mem.hooks.wrappers import give, put, put_around, put_around_once
from tf1mem.v1._keras_lost import weighted_masked_objective
from tf1mem.v1._namespace import ROOT


def compute_as_standalone(keras: Any, file_of_keras: Callable[[str], Any]) -> None:
    """Makes losses and metrics those of standalone Keras; to be called once.

    Args:
        keras: The TF1 API of Keras 2.
        file_of_keras: Returns the module of a file of Keras by its dotted name, or None.
    """
    for owner in (file_of_keras("backend"), keras.backend):
        # Over `_keras_functions`'s wrapper, which broadcasts labels: here they are broadcast, too.
        put_around(owner, "categorical_crossentropy", _categorical_crossentropy)
        put_around(owner, "sparse_categorical_crossentropy", _sparse_categorical_crossentropy)
        put_around(owner, "binary_crossentropy", _binary_crossentropy)
    losses, metrics = file_of_keras("losses"), file_of_keras("metrics")
    put(losses, "_maybe_convert_labels", _unchanged)
    for owner in (losses, metrics, keras.losses, keras.metrics):
        give(owner, {"cosine": cosine_proximity, "cosine_proximity": cosine_proximity})
        put(owner, "cosine_proximity", cosine_proximity)
    put_around_once(metrics, "binary_accuracy", _rounding)
    models = [file_of_keras(f"engine.{file}") for file in ("training_v1", "training")]
    for owner in (file.Model for file in models if file is not None):
        put_around_once(owner, "_prepare_total_loss", _with_means_of_weighted)


def _clipped(probabilities: Any) -> Any:
    tf = import_module(ROOT)
    epsilon = tf.constant(tf.keras.backend.epsilon(), probabilities.dtype.base_dtype)
    return tf.clip_by_value(probabilities, epsilon, 1 - epsilon)


def _categorical_crossentropy(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a backend's `categorical_crossentropy` that computes with probabilities, between epsilon and 1 - epsilon.

    There the gradient of one that is outside is zero, and a loss is 16.1 at most.
    """

    def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
        if from_logits:
            return own(target, output, from_logits=True, axis=axis)
        tf = import_module(ROOT)
        output = tf.convert_to_tensor(output)
        output = _clipped(output / tf.reduce_sum(output, axis, keepdims=True))
        return -tf.reduce_sum(target * tf.log(output), axis)

    return categorical_crossentropy


def _sparse_categorical_crossentropy(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a backend's `sparse_categorical_crossentropy` for probabilities, clipped as the ones above."""

    def sparse_categorical_crossentropy(
        target: Any, output: Any, from_logits: bool = False, axis: int = -1, **options: Any
    ) -> Any:
        tf = import_module(ROOT)
        logits = output if from_logits else tf.log(_clipped(tf.convert_to_tensor(output)))
        return own(target, logits, from_logits=True, axis=axis, **options)

    return sparse_categorical_crossentropy


def _binary_crossentropy(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a backend's `binary_crossentropy` for probabilities, clipped as the ones above."""

    def binary_crossentropy(target: Any, output: Any, from_logits: bool = False, **options: Any) -> Any:
        tf = import_module(ROOT)
        if not from_logits:
            output = _clipped(tf.convert_to_tensor(output))
            output = tf.log(output / (1 - output))
        return own(target, output, from_logits=True, **options)

    return binary_crossentropy


def _unchanged(y_true: Any) -> Any:
    return y_true


def cosine_proximity(y_true: Any, y_pred: Any) -> Any:
    """Returns the negative cosine of the angle between labels and predictions, `[batch, …]`.

    Args:
        y_true: Labels, `[batch, …, features]`.
        y_pred: Predictions, of the same shape.
    """
    tf = import_module(ROOT)
    return -tf.reduce_sum(tf.nn.l2_normalize(y_true, axis=-1) * tf.nn.l2_normalize(y_pred, axis=-1), axis=-1)


vars(cosine_proximity)["autograph_info__"] = {}  # AutoGraph leaves it alone, as it does Keras's


def _rounding(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `binary_accuracy` by which a prediction is right if it rounds to the label, such as -1 or 3."""

    def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
        if threshold != 0.5:
            return own(y_true, y_pred, threshold)
        tf = import_module(ROOT)
        y_pred = tf.convert_to_tensor(y_pred)
        is_right = tf.equal(tf.cast(y_true, y_pred.dtype), tf.round(y_pred))
        return tf.reduce_mean(tf.cast(is_right, tf.keras.backend.floatx()), axis=-1)

    vars(binary_accuracy)["autograph_info__"] = {}
    return binary_accuracy


class _Objective:
    """A loss that becomes one number as in standalone Keras: the mean of examples that a mask and weights let count.

    It has no attribute `reduction`, so that Keras takes the number as it is.
    """

    def __init__(self, loss: Any, mask: Any) -> None:
        self._weighted, self._mask = weighted_masked_objective(loss.call), mask

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        return self._weighted(y_true, y_pred, sample_weight, self._mask)


def _with_means_of_weighted(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a model's `_prepare_total_loss` in which examples of weight zero aren't counted by a mean."""

    def _prepare_total_loss(self: Any, masks: Any) -> Any:
        before, left = [], []
        for endpoint, mask in zip(self._training_endpoints, masks):
            loss = endpoint._loss_fn
            before.append((endpoint, loss))
            is_mean = str(getattr(loss, "reduction", "")).rpartition(".")[2].lower() in ("auto", "sum_over_batch_size")
            if is_mean:
                endpoint._loss_fn = _Objective(loss, mask)
            left.append(None if is_mean else mask)
        try:
            return own(self, left)
        finally:
            for endpoint, loss in before:
                endpoint._loss_fn = loss

    return _prepare_total_loss
