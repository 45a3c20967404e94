"""Functions and cells of Keras that give other results, or take other arguments, than on TensorFlow 1.

TensorFlow 1's `batch_dot` multiplies the last two dimensions of tensors, one pair of matrices for each entry of the
dimensions before. Keras 2.3, and TensorFlow 2, combine all dimensions but the first. The results differ for tensors
of four dimensions, such as those of attention heads.

TensorFlow 2's accuracies for labels of shape `[batch, 1]` may be of that shape, where TensorFlow 1's are `[batch]`. It
also refuses labels that `categorical_crossentropy` would broadcast.

From TensorFlow 2.4 on cells replace `implementation=2` by 1 if they drop out recurrent values. That drops other values.
"""

from __future__ import annotations

import functools
import sys
from importlib import import_module
from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around_once
from tf1mem.v1._namespace import ROOT, import_or_none


@functools.lru_cache(maxsize=None)
def compute_as_tf1(keras: Any, standalone: str) -> None:
    """Makes functions of Keras compute TensorFlow 1's results.

    Args:
        keras: The TF1 API of Keras 2.
        standalone: The namespace of standalone Keras below tf1mem.v1. In programs that have imported it, `batch_dot`
            is Keras's own.
    """
    package = keras.Model.__module__.partition(".engine.")[0]
    backend, metrics = import_or_none(f"{package}.backend"), import_or_none(f"{package}.utils.metrics_utils")
    for owner in (backend, keras.backend):
        put_around_once(owner, "batch_dot", functools.partial(_batch_dot_unless, f"{ROOT}.{standalone}"))
        put_around_once(owner, "categorical_crossentropy", _broadcasting_labels)
    for name in ("sparse_categorical_matches", "sparse_top_k_categorical_matches"):
        put_around_once(metrics, name, _squeezing_labels)
    for name, gates in (("LSTMCell", 4), ("GRUCell", 3)):
        cell = getattr(keras.layers, name)
        put_around_once(cell, "__init__", _keeping_implementation)
        put_around_once(cell, "call", functools.partial(_dropping_recurrent_values, gates))


# Attribute of a cell that Keras would have given `implementation=1`, so that it doesn't drop recurrent values itself.
_DROPS = "_tf1mem_drops"


def _keeping_implementation(own: Callable[..., None]) -> Callable[..., None]:
    """Returns a cell's `__init__` that keeps `implementation=2` if recurrent values are dropped out, too."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        own(self, *args, **kwargs)
        if kwargs.get("implementation") == 2 and self.implementation != 2:
            self.implementation = 2
            setattr(self, _DROPS, True)

    return __init__


def _dropping_recurrent_values(gates: int, own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a cell's `call` that, by implementation 2, drops the same recurrent values for all gates.

    Args:
        gates: Number of the cell's gates; each has a mask, of which only the first is used.
        own: The cell's method.
    """

    def call(self: Any, inputs: Any, states: Any, training: Any = None) -> Any:
        if getattr(self, _DROPS, False) and 0 < self.recurrent_dropout < 1:
            states = list(states) if isinstance(states, (list, tuple)) else [states]
            self.get_dropout_mask_for_cell(inputs, training, count=gates)  # draws its seed before the other masks
            mask = self.get_recurrent_dropout_mask_for_cell(states[0], training, count=gates)[0]
            states = [states[0] * mask, *states[1:]]
        return own(self, inputs, states, training)

    return call


def _batch_dot_unless(module: str, own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns TensorFlow 1's `batch_dot`; Keras's own `batch_dot` is called if a module is loaded."""

    def batch_dot(x: Any, y: Any, axes: Any = None) -> Any:
        return own(x, y, axes) if module in sys.modules else _batch_dot(x, y, axes)

    return batch_dot


def _batch_dot(x: Any, y: Any, axes: Any) -> Any:
    """Returns TensorFlow 1's `batch_dot` of two tensors, by the same ops.

    Args:
        x: Tensor of two or more dimensions, the first of which is the batch.
        y: Tensor like `x`. If its rank is another one, dimensions of size 1 are added at the end of the smaller one.
        axes: Axes of `x` and of `y` that are summed over: a pair of integers, or one integer for both. None stands for
            the last axis of `x` and the one before the last of `y`.

    Returns:
        Tensor of two or more dimensions.
    """
    tf = import_module(ROOT)
    ranks = x.shape.ndims, y.shape.ndims
    if axes is None:
        axes = ranks[0] - 1, ranks[1] - 2
    x_axis, y_axis = (axes, axes) if isinstance(axes, int) else axes
    more = ranks[0] - ranks[1]
    if more > 0:
        y = tf.reshape(y, tf.concat([tf.shape(y), [1] * more], axis=0))
    elif more < 0:
        x = tf.reshape(x, tf.concat([tf.shape(x), [1] * -more], axis=0))
    rank = max(ranks)
    if rank == 2:
        factor = x if x_axis == y_axis else tf.transpose(x, [1, 0])
        product = tf.reduce_sum(tf.multiply(factor, y), y_axis)
    else:
        product = tf.matmul(x, y, adjoint_a=x_axis != rank - 1, adjoint_b=y_axis == rank - 1)
    if more:
        first = sum(ranks) - 3 if more > 0 else ranks[0] - 1
        product = tf.squeeze(product, [*range(first, first + abs(more))])
    return tf.expand_dims(product, 1) if product.shape.ndims == 1 else product


def _broadcasting_labels(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a backend's `categorical_crossentropy` that broadcasts labels and predictions of different shapes.

    Labels that aren't tensors get the predictions' dtype.
    """

    def categorical_crossentropy(target: Any, output: Any, *args: Any, **kwargs: Any) -> Any:
        tf = import_module(ROOT)
        if tf.executing_eagerly():
            return own(target, output, *args, **kwargs)
        output = tf.convert_to_tensor(output)
        target = tf.convert_to_tensor(target, _dtype_of(target, output))
        try:
            return own(target, output, *args, **kwargs)
        except ValueError:
            if target.shape.is_compatible_with(output.shape):
                raise
        tf.broadcast_static_shape(target.shape, output.shape)  # raises ValueError
        # From TensorFlow 2.1 on Keras compares the static shapes before it makes an op.
        is_of_rank = target.shape.ndims == output.shape.ndims
        shape = [None] * target.shape.ndims if is_of_rank else None
        return own(tf.placeholder_with_default(target, shape, name="labels_to_broadcast"), output, *args, **kwargs)

    return categorical_crossentropy


def _dtype_of(labels: Any, predictions: Any) -> Any:
    """Returns the dtype for labels: the predictions' for arrays and numbers, None (their own) for tensors."""
    return None if hasattr(labels, "graph") or hasattr(labels, "handle") else predictions.dtype.base_dtype


def _squeezing_labels(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of labels and predictions that removes the labels' last dimension if their ranks are equal."""

    def matches(y_true: Any, y_pred: Any, *args: Any, **kwargs: Any) -> Any:
        tf = import_module(ROOT)
        y_true, y_pred = tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred)
        if y_true.shape.ndims is not None and y_true.shape.ndims == y_pred.shape.ndims:
            y_true = tf.squeeze(y_true, [-1])
        return own(y_true, y_pred, *args, **kwargs)

    return matches
