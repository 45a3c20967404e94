# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Summaries of tensors, named after them."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def _name(tensor: Any, name: str | None, prefix: str | None, postfix: str | None = None) -> str:
    return "/".join(part for part in (prefix, name or tensor.op.name, postfix) if part)


def _collected(op: Any, tensor: Any, name: str, print_summary: bool) -> Any:
    """The summary; if it is to be printed, one that also prints the tensor, which then is what is collected."""
    if print_summary:
        op = tf.Print(op, [tensor], name)
        tf.add_to_collection(tf.GraphKeys.SUMMARIES, op)
    return op


def add_histogram_summary(tensor: Any, name: str | None = None, prefix: str | None = None) -> Any:
    """Adds a histogram.

    Args:
        tensor: Of which.
        name: By default the name of the tensor's op.
        prefix: Stands before it, with a slash.
    """
    return tf.summary.histogram(_name(tensor, name, prefix), tensor)


def add_image_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """Adds images.

    Args:
        tensor: A batch of images.
        name: By default the name of the tensor's op.
        prefix: Stands before it, with a slash.
        print_summary: Whether to print the tensor, too, when the summary is run.
    """
    name = _name(tensor, name, prefix)
    op = tf.summary.image(name=name, tensor=tensor, collections=[] if print_summary else None)
    return _collected(op, tensor, name, print_summary)


def add_scalar_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """Adds a number.

    Args:
        tensor: A scalar.
        name: By default the name of the tensor's op.
        prefix: Stands before it, with a slash.
        print_summary: Whether to print the tensor, too, when the summary is run.
    """
    name = _name(tensor, name, prefix)
    op = tf.summary.scalar(name=name, tensor=tensor, collections=[] if print_summary else None)
    return _collected(op, tensor, name, print_summary)


def add_zero_fraction_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """Adds the fraction of a tensor that is zero, as `add_scalar_summary` does."""
    name = _name(tensor, name, prefix, "Fraction_of_Zero_Values")
    return add_scalar_summary(tf.nn.zero_fraction(tensor), name, print_summary=print_summary)


def add_histogram_summaries(tensors: Any, prefix: str | None = None) -> list[Any]:
    """Adds a histogram of each tensor."""
    return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


def add_image_summaries(tensors: Any, prefix: str | None = None) -> list[Any]:
    """Adds the images of each tensor."""
    return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


def add_scalar_summaries(tensors: Any, prefix: str | None = None, print_summary: bool = False) -> list[Any]:
    """Adds each scalar."""
    return [add_scalar_summary(tensor, prefix=prefix, print_summary=print_summary) for tensor in tensors]


def add_zero_fraction_summaries(tensors: Any, prefix: str | None = None) -> list[Any]:
    """Adds the fraction of each tensor that is zero."""
    return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]
