"""Functions and cells of Keras that give other results, or take other arguments, than on TensorFlow 1.

TensorFlow 1's `batch_dot` multiplies the last two dimensions of tensors, one pair of matrices for each entry of the
dimensions before. Keras 2.3, and TensorFlow 2, combine all dimensions but the first. The results differ for tensors
of four dimensions, such as those of attention heads.

TensorFlow 2's accuracies for labels of shape `[batch, 1]` may be of that shape, where TensorFlow 1's are `[batch]`. It
also refuses labels that `categorical_crossentropy` would broadcast.

Its `bias_add` refuses a matrix with channels first, and its `softmax` a vector; `switch` with a condition for each row
compares it with columns, and `ctc_decode` pads labels to the number of steps.

An Adagrad made from its name accumulates from 0, as TensorFlow 1's did, and not from 0.1.

Functions for texts take `text`, which newer versions call `input_text`.

Standalone Keras resizes images bilinearly from their corner, where `tf.keras` has the centers of pixels.

A Lambda layer may make variables, and read any, which TensorFlow 2.4 refuses and warns of.

From TensorFlow 2.4 on cells replace `implementation=2` by 1 if they drop out recurrent values. That drops other values.
"""

from __future__ import annotations

import functools
import warnings
from importlib import import_module
from typing import Any, Callable

from tf1mem.errors import SettingError
from tf1mem.hooks.wrappers import put, put_around, put_around_once
from tf1mem.v1 import _keras_alone
from tf1mem.v1._keras_package import keras_file
from tf1mem.v1._namespace import ROOT, located


@functools.lru_cache(maxsize=None)
def compute_as_tf1(keras: Any) -> None:
    """Makes functions of Keras compute TensorFlow 1's results.

    Args:
        keras: The TF1 API of Keras 2.
    """
    backend, metrics = keras_file(keras.Model, "backend"), keras_file(keras.Model, "utils.metrics_utils")
    for owner in (backend, keras.backend):
        put_around_once(owner, "batch_dot", _batch_dot_unless_standalone)
        put_around_once(owner, "bias_add", _adding_to_matrices)
        put_around_once(owner, "categorical_crossentropy", _broadcasting_labels)
        put_around_once(owner, "ctc_decode", _without_padding)
        put_around_once(owner, "resize_images", _resizing_if_standalone)
        put_around_once(owner, "softmax", _of_vectors_too)
        put_around_once(owner, "switch", _switching_rows)
    for name in ("sparse_categorical_matches", "sparse_top_k_categorical_matches"):
        put_around_once(metrics, name, _squeezing_labels)
    training_utils = keras_file(keras.Model, "engine.training_utils_v1")
    put_around_once(training_utils, "split_training_and_validation_data", _splitting_weights)
    for name in ("text_to_word_sequence", "one_hot"):
        put_around_once(keras.preprocessing.text, name, _taking_text)
    put_around_once(keras.layers.Lambda, "_check_variables", _allowing_variables)
    put(keras.optimizers.Adagrad, "from_config", _from_zero(keras.optimizers.Adagrad.from_config))
    put_around_once(keras_file(keras.Model, "initializers"), "serialize", _without_warning)
    regularizers = keras_file(keras.Model, "regularizers")
    for name in ("L1", "L2", "L1L2"):
        if hasattr(regularizers, name):
            put_around(getattr(regularizers, name), "__call__", _regularizing)
    for name, gates in (("LSTMCell", 4), ("GRUCell", 3)):
        cell = getattr(keras.layers, name)
        put_around_once(cell, "__init__", _keeping_implementation)
        put_around_once(cell, "call", functools.partial(_dropping_recurrent_values, gates))


def _splitting_weights(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns Keras's function that splits off data for validation, with weights of examples in a tuple, too.

    They are in a tuple if only some outputs have weights, and Keras drops those, of training and of validation.
    """

    def split(x: Any, y: Any, sample_weights: Any, validation_split: float) -> Any:
        return own(x, y, sample_weights and list(sample_weights), validation_split)

    return split


def _taking_text(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns one of Keras's functions that also takes its first argument as `text`, which Keras calls `input_text`."""

    def of_text(*args: Any, **kwargs: Any) -> Any:
        return own(kwargs.pop("text"), *args, **kwargs) if "text" in kwargs else own(*args, **kwargs)

    return of_text


def _without_warning(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns Keras's `serialize` of initializers without its warning of classes that aren't Keras's own."""

    @functools.wraps(own)
    def serialize(initializer: Any, *args: Any, **kwargs: Any) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"The `keras\.initializers\.serialize\(\)` API", UserWarning)
            return own(initializer, *args, **kwargs)

    return serialize


def _regularizing(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a regularizer's `__call__` that makes TensorFlow 1's ops: L1 and L2 were one class then.

    Args:
        own: The method of Keras, which makes other ops since Keras 2.4.
    """

    def penalty(regularizer: Any, x: Any) -> Any:
        tf = import_module(ROOT)
        factors = [(getattr(regularizer, "l1", 0), tf.abs), (getattr(regularizer, "l2", 0), tf.square)]
        if not any(factor for factor, _ in factors):
            return tf.keras.backend.constant(0.0)
        total = 0.0
        for factor, function in factors:
            if factor and _keras_alone.is_in_use():
                total += tf.reduce_sum(factor * function(x))
            elif factor:
                total += factor * tf.reduce_sum(function(x))
        return total

    penalty.tf1mem_counts = True  # type: ignore[attr-defined]
    return penalty


def _from_zero(own: Any) -> Any:
    """Returns Adagrad's `from_config` for a config that may lack the first value of accumulators: 0 on TensorFlow 1.

    Args:
        own: Keras's method, bound to its class.
    """

    def from_config(cls: Any, config: dict[str, Any], custom_objects: Any = None) -> Any:
        return own.__func__(cls, {"initial_accumulator_value": 0.0, **config}, custom_objects)

    return classmethod(from_config)


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


def _allowing_variables(own: Callable[..., None]) -> Callable[..., None]:
    """Returns a Lambda layer's `_check_variables` that allows any."""

    def _check_variables(self: Any, created_variables: Any, accessed_variables: Any) -> None:
        pass

    return _check_variables


def _batch_dot_unless_standalone(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns TensorFlow 1's `batch_dot`; Keras's own is called in programs for standalone Keras."""

    def batch_dot(x: Any, y: Any, axes: Any = None) -> Any:
        return own(x, y, axes) if _keras_alone.is_in_use() else _batch_dot(x, y, axes)

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


def _adding_to_matrices(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a backend's `bias_add` that also takes a matrix where channels are first."""

    def bias_add(x: Any, bias: Any, data_format: Any = None) -> Any:
        if x.shape.ndims == 2 and data_format in (None, "channels_first"):
            data_format = "channels_last"  # a matrix has its channels in the only dimension besides the batch
        return own(x, bias, data_format)

    return bias_add


def _without_padding(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a backend's `ctc_decode` whose labels have the shape `[batch, length of the longest sequence]`."""

    def ctc_decode(*args: Any, **kwargs: Any) -> tuple[list[Any], Any]:
        decoded, log_probabilities = own(*args, **kwargs)
        return [_trimmed(labels) for labels in decoded], log_probabilities

    return ctc_decode


def _trimmed(labels: Any) -> Any:
    """Returns labels of shape `[batch, steps]` without the last columns, where all entries are -1."""
    tf = import_module(ROOT)
    lengths = tf.reduce_sum(tf.cast(labels >= 0, tf.int64), axis=1)
    return labels[:, : tf.reduce_max(lengths)]


def _resizing_if_standalone(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a backend's `resize_images` that resizes bilinearly as standalone Keras in programs for it."""

    def resize_images(
        x: Any, height_factor: int, width_factor: int, data_format: str, interpolation: str = "nearest"
    ) -> Any:
        if interpolation != "bilinear" or not _keras_alone.is_in_use():
            return own(x, height_factor, width_factor, data_format, interpolation=interpolation)
        return _resize_bilinearly(x, [height_factor, width_factor], data_format)

    return resize_images


def _resize_bilinearly(images: Any, factors: list[int], data_format: str) -> Any:
    """Returns images resized by standalone Keras's way, where the first pixel stays the first.

    Args:
        images: Tensor of shape `[batch, rows, columns, channels]`; with channels first, `[batch, channels, rows,
            columns]`.
        factors: Factors for the numbers of rows and of columns.
        data_format: "channels_last" or "channels_first".

    Returns:
        Tensor like `images`.

    Raises:
        SettingError: There is no such `data_format`.
    """
    tf = import_module(ROOT)
    if data_format not in ("channels_first", "channels_last"):
        raise unknown_data_format(f"K.resize_images(data_format={data_format!r})")
    is_first = data_format == "channels_first"
    if is_first:
        images = tf.transpose(images, [0, 2, 3, 1])
    sizes = images.shape.as_list()[1:3]
    resized = tf.image.resize_bilinear(images, tf.shape(images)[1:3] * factors)
    sizes = [None if size is None else size * factor for size, factor in zip(sizes, factors)]
    resized.set_shape([None, *sizes, None])
    return tf.transpose(resized, [0, 3, 1, 2]) if is_first else resized


def unknown_data_format(setting: str) -> SettingError:
    """Returns the error for an order of dimensions that Keras doesn't know.

    Args:
        setting: The argument and its value, such as "data_format='nhwc'".
    """
    return SettingError(
        located(setting), "there is no such order of dimensions", 'Use "channels_last" or "channels_first"'
    )


def _of_vectors_too(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a backend's `softmax` that also takes a vector."""

    def softmax(x: Any, axis: int = -1) -> Any:
        return import_module(ROOT).nn.softmax(x, axis=axis) if x.shape.ndims == 1 else own(x, axis)

    return softmax


def _switching_rows(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a backend's `switch` in which a vector of conditions has one for each entry of the first dimension."""

    def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
        if condition.shape.ndims == 1:
            then_expression, else_expression = (
                expression() if callable(expression) else expression
                for expression in (then_expression, else_expression)
            )
            more = then_expression.shape.ndims - 1
            if more > 0:
                condition = import_module(ROOT).reshape(condition, [-1] + [1] * more)
        return own(condition, then_expression, else_expression)

    return switch


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
