# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Summaries of tensors and collections (tf.contrib.layers)."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Callable, Iterable

import tf1mem.v1 as tf


def summarize_activation(op: Any) -> Any:
    """Returns a histogram summary of an activation.

    For ReLU, ReLU6 and softplus it also makes a scalar summary of the fraction of inputs below 0, and for ReLU6 of the
    fraction above 6.

    Args:
        op: Activation tensor of any shape.
    """
    kind, name = op.op.type, op.op.name

    def fraction(compare: Callable[..., Any], bound: float) -> Any:
        """Returns the fraction of the activation's inputs that compare as true with the bound, float32, shape `[]`."""
        inputs = op.op.inputs[0]
        return tf.reduce_mean(tf.cast(compare(inputs, tf.cast(bound, inputs.dtype)), tf.float32))

    if kind in ("Relu", "Softplus", "Relu6"):
        tf.summary.scalar(f"{name}/zeros", fraction(tf.less, 0.0))
    if kind == "Relu6":
        tf.summary.scalar(f"{name}/sixes", fraction(tf.greater, 6.0))
    return tf.summary.histogram(f"{name}/activation", op)


def summarize_tensor(tensor: Any, tag: str | None = None) -> Any:
    """Returns a scalar summary of a tensor of rank 0, a histogram summary of another; None for strings and bools.

    Args:
        tensor: Tensor of any shape.
        tag: Name of the summary; by default the name of the tensor's op, followed by "_summary".
    """
    if tensor.dtype.base_dtype in (tf.string, tf.bool):
        return None
    summarize = tf.summary.scalar if tensor.shape.ndims == 0 else tf.summary.histogram
    return summarize(tag or f"{tensor.op.name}_summary", tensor)


def summarize_tensors(tensors: Iterable[Any], summarizer: Callable[[Any], Any] = summarize_tensor) -> list[Any]:
    """Returns the summarizer's result for each tensor, whatever its shape.

    Args:
        tensors: The tensors.
        summarizer: Function from a tensor to a summary or None.
    """
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(
    collection: str, name_filter: str | None = None, summarizer: Callable[[Any], Any] = summarize_tensor
) -> list[Any]:
    """Returns the summarizer's result for each tensor of a collection, whatever its shape.

    Args:
        collection: Name of the collection.
        name_filter: Regular expression that the start of a tensor's name must match; None for all tensors.
        summarizer: Function from a tensor to a summary or None.
    """
    tensors = tf.get_collection(collection)
    return summarize_tensors(
        [each for each in tensors if name_filter is None or re.match(name_filter, each.op.name)], summarizer
    )


# `summarize_collection` for three of TensorFlow's collections.
summarize_variables = partial(summarize_collection, tf.GraphKeys.GLOBAL_VARIABLES)
summarize_weights = partial(summarize_collection, tf.GraphKeys.WEIGHTS)
summarize_biases = partial(summarize_collection, tf.GraphKeys.BIASES)


def summarize_activations(
    name_filter: str | None = None, summarizer: Callable[[Any], Any] = summarize_activation
) -> list[Any]:
    """Returns the summarizer's result for each tensor of the collection ACTIVATIONS, whatever its shape.

    Args:
        name_filter: Regular expression that the start of a tensor's name must match; None for all tensors.
        summarizer: Function from a tensor to a summary or None.
    """
    return summarize_collection(tf.GraphKeys.ACTIVATIONS, name_filter, summarizer)
