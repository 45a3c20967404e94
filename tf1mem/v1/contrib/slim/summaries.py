# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Summaries of tensors, named after their ops."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def _name(tensor: Any, name: str | None, prefix: str | None, postfix: str | None = None) -> str:
    return "/".join(part for part in (prefix, name or tensor.op.name, postfix) if part)


def _printed(op: Any, tensor: Any, name: str, print_summary: bool) -> Any:
    """Returns the summary op; `print_summary` wraps it in a tf.Print op, which is added to SUMMARIES."""
    if print_summary:
        op = tf.Print(op, [tensor], name)
        tf.add_to_collection(tf.GraphKeys.SUMMARIES, op)
    return op


def add_histogram_summary(tensor: Any, name: str | None = None, prefix: str | None = None) -> Any:
    """Adds a histogram summary.

    Args:
        tensor: Tensor of any shape.
        name: Name of the summary; the name of the tensor's op by default.
        prefix: Prefix of the name, followed by a slash.

    Returns:
        The summary, a string tensor of shape `[]`.
    """
    return tf.summary.histogram(_name(tensor, name, prefix), tensor)


def add_image_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """Adds an image summary.

    Args:
        tensor: `[batch, height, width, channels]` tensor.
        name: Name of the summary; the name of the tensor's op by default.
        prefix: Prefix of the name, followed by a slash.
        print_summary: True to print the tensor when the summary is run.

    Returns:
        The summary, a string tensor of shape `[]`.
    """
    name = _name(tensor, name, prefix)
    op = tf.summary.image(name=name, tensor=tensor, collections=[] if print_summary else None)
    return _printed(op, tensor, name, print_summary)


def add_scalar_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """Adds a scalar summary.

    Args:
        tensor: Scalar tensor (shape `[]`).
        name: Name of the summary; the name of the tensor's op by default.
        prefix: Prefix of the name, followed by a slash.
        print_summary: True to print the tensor when the summary is run.

    Returns:
        The summary, a string tensor of shape `[]`.
    """
    name = _name(tensor, name, prefix)
    op = tf.summary.scalar(name=name, tensor=tensor, collections=[] if print_summary else None)
    return _printed(op, tensor, name, print_summary)


def add_zero_fraction_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """Returns a new scalar summary of the fraction of zeros in a tensor of any shape; see `add_scalar_summary`."""
    name = _name(tensor, name, prefix, "Fraction_of_Zero_Values")
    return add_scalar_summary(tf.nn.zero_fraction(tensor), name, print_summary=print_summary)


def add_histogram_summaries(tensors: Any, prefix: str | None = None) -> list[Any]:
    """Adds a histogram summary of each tensor; see `add_histogram_summary`.

    Args:
        tensors: List of tensors of any shape.
        prefix: Prefix of the names, followed by a slash.

    Returns:
        List of the summaries, string tensors of shape `[]`.
    """
    return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


def add_image_summaries(tensors: Any, prefix: str | None = None) -> list[Any]:
    """Adds an image summary of each tensor; see `add_image_summary`.

    Args:
        tensors: List of `[batch, height, width, channels]` tensors.
        prefix: Prefix of the names, followed by a slash.

    Returns:
        List of the summaries, string tensors of shape `[]`.
    """
    return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


def add_scalar_summaries(tensors: Any, prefix: str | None = None, print_summary: bool = False) -> list[Any]:
    """Adds a scalar summary of each tensor; see `add_scalar_summary`.

    Args:
        tensors: List of tensors of shape `[]`.
        prefix: Prefix of the names, followed by a slash.
        print_summary: True to print the tensors when the summaries are run.

    Returns:
        List of the summaries, string tensors of shape `[]`.
    """
    return [add_scalar_summary(tensor, prefix=prefix, print_summary=print_summary) for tensor in tensors]


def add_zero_fraction_summaries(tensors: Any, prefix: str | None = None) -> list[Any]:
    """Adds a summary of the fraction of zeros in each tensor; see `add_zero_fraction_summary`.

    Args:
        tensors: List of number tensors of any shape.
        prefix: Prefix of the names, followed by a slash.

    Returns:
        List of the summaries, string tensors of shape `[]`.
    """
    return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]
