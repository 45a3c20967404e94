# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Batches of equal size, and checks of elements' shapes."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf


def batch_and_drop_remainder(batch_size: Any) -> Callable[[Any], Any]:
    """Returns `Dataset.batch(batch_size, drop_remainder=True)` for `Dataset.apply`.

    The components of elements become `[batch_size, ...]`.

    Args:
        batch_size: Number of elements per batch.
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: Any, padded_shapes: Any, padding_values: Any = None
) -> Callable[[Any], Any]:
    """Returns `Dataset.padded_batch(…, drop_remainder=True)` for `Dataset.apply`.

    Args:
        batch_size: Number of elements per batch.
        padded_shapes: Shape of each component after padding.
        padding_values: Value that pads each component; 0 or "" by default.
    """
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes=padded_shapes, padding_values=padding_values, drop_remainder=True
    )


def assert_element_shape(expected_shapes: Any) -> Callable[[Any], Any]:
    """Returns a transformation for `Dataset.apply` that checks and sets the shapes of elements.

    Args:
        expected_shapes: A tf.TensorShape per component; unknown dimensions aren't checked.
    """

    def checked(*elements: Any) -> Any:
        """Returns an element whose tensors have the expected shapes."""
        structure = elements[0] if len(elements) == 1 else elements
        shapes = tf.nest.flatten(expected_shapes)
        tensors = [
            # TensorFlow 2 refuses a shape of unknown rank, which needs no check.
            tensor if tf.TensorShape(shape).ndims is None else tf.ensure_shape(tensor, shape)
            for tensor, shape in zip(tf.nest.flatten(structure), shapes)
        ]
        return tf.nest.pack_sequence_as(structure, tensors)

    return lambda dataset: dataset.map(checked)
