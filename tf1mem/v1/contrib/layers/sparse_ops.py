# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Conversions from dense to sparse tensors (tf.contrib.layers)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def _ignored(dtype: Any, value: Any) -> Any:
    if value is None:
        value = "" if dtype == tf.string else dtype.as_numpy_dtype()
    return tf.cast(value, dtype, name="ignore_value")


def dense_to_sparse_tensor(dense_tensor: Any, ignore_value: Any = None) -> Any:
    """Converts a tensor to a SparseTensor of the same shape without the elements that equal `ignore_value`.

    Args:
        dense_tensor: Tensor of any shape.
        ignore_value: The value; 0 or "" by default.
    """
    with tf.name_scope("DenseToSparseTensor"):
        dense_tensor = tf.convert_to_tensor(dense_tensor)
        ignored = _ignored(dense_tensor.dtype, ignore_value)
        indices = tf.where(tf.not_equal(dense_tensor, ignored), name="indices")
        return tf.SparseTensor(
            indices=indices,
            values=tf.gather_nd(dense_tensor, indices, name="values"),
            dense_shape=tf.shape(dense_tensor, out_type=tf.int64, name="dense_shape"),
        )


def indicators_to_sparse_ids(indicators: Any, ignore_value: Any = None, dtype: Any = tf.int64) -> Any:
    """Returns the positions of each row's set elements as ids: [0, 1, 0, 1] becomes [1, 3].

    Args:
        indicators: `[batch, num_ids]` tensor, or a tensor of higher rank.
        ignore_value: Value of elements that are not set; 0 or "" by default.
        dtype: Int dtype of the ids.

    Returns:
        `[batch, max_ids]` SparseTensor of ids.

    Raises:
        ValueError: The dtype isn't an int type.
    """
    if not dtype.is_integer:
        raise ValueError(f"Invalid dtype {dtype} not integer.")
    with tf.name_scope(None, "indicators_to_sparse_ids", (indicators, ignore_value)):
        indicators = tf.convert_to_tensor(indicators, name="indicators")
        is_set = tf.not_equal(indicators, _ignored(indicators.dtype, ignore_value))
        # Set elements get numbers from 1 on in each row, the others get 0.
        count = tf.cast(is_set, tf.int64)
        numbers = count * tf.cumsum(count, axis=-1)
        sparse_numbers = dense_to_sparse_tensor(numbers, ignore_value=0)
        longest = tf.reshape(tf.reduce_max(numbers), [1])
        return tf.SparseTensor(
            indices=tf.concat([sparse_numbers.indices[:, :-1], tf.reshape(sparse_numbers.values - 1, [-1, 1])], axis=1),
            values=tf.cast(sparse_numbers.indices[:, -1], dtype),
            dense_shape=tf.concat([sparse_numbers.dense_shape[:-1], longest], axis=0),
        )


def sparse_row_envelope(sparse_input: Any, row_axis: int = 0, col_axis: int = 1, name: str | None = None) -> Any:
    """Returns the length of each row: the position after its last element.

    Args:
        sparse_input: `[rows, columns]` SparseTensor, or one of higher rank.
        row_axis: Axis of the rows; 0 by default.
        col_axis: Axis along which the length is measured; 1 by default.
        name: Name scope.

    Returns:
        `[num_rows]` int64 tensor.

    Raises:
        ValueError: The axes aren't ints, or are equal.
    """
    if not (isinstance(row_axis, int) and isinstance(col_axis, int)):
        raise ValueError("`row_axis` and `col_axis` must be integers.")
    if row_axis == col_axis:
        raise ValueError(f"row_axis, col_axis: both are {row_axis}. Give two different axes.")
    with tf.name_scope(name, "sparse_row_envelope", [sparse_input]):
        rows, columns = sparse_input.indices[:, row_axis], sparse_input.indices[:, col_axis]
        number = tf.cast(sparse_input.dense_shape[row_axis], tf.int32)
        lengths = tf.unsorted_segment_max(columns + 1, rows, number)
        return tf.maximum(lengths, tf.zeros_like(lengths))
