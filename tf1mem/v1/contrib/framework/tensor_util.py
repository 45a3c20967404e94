# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Checks and sums of tensors (tf.contrib.framework)."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

import tf1mem.v1 as tf

is_tensor = tf.is_tensor
assert_same_float_dtype = tf.debugging.assert_same_float_dtype
assert_scalar = tf.debugging.assert_scalar
convert_to_tensor_or_sparse_tensor = tf.convert_to_tensor_or_sparse_tensor


def reduce_sum_n(tensors: Sequence[Any], name: str | None = None) -> Any:
    """Returns the sum of all elements of all tensors, a scalar.

    Args:
        tensors: List of number tensors of one dtype and of any shapes.
        name: Name scope.

    Returns:
        Tensor of shape `[]`.

    Raises:
        ValueError: There are no tensors.
    """
    if not tensors:
        raise ValueError("No tensors provided.")
    with tf.name_scope(name, "reduce_sum_n", tensors) as scope:
        sums = [tf.reduce_sum(each, name=f"{each.op.name}/sum") for each in tensors]
        return sums[0] if len(sums) == 1 else tf.add_n(sums, name=scope)


def remove_squeezable_dimensions(predictions: Any, labels: Any, name: str | None = None) -> tuple[Any, Any]:
    """Returns both tensors; if their ranks differ by one, a last axis of size 1 is removed from the higher rank.

    Args:
        predictions: Tensor of any shape.
        labels: Tensor whose rank differs by one at most.
        name: Name scope.
    """
    with tf.name_scope(name, "remove_squeezable_dimensions", [predictions, labels]):
        predictions = tf.convert_to_tensor(predictions)
        labels = tf.convert_to_tensor(labels)
        if predictions.shape.ndims is not None and labels.shape.ndims is not None:
            surplus = predictions.shape.ndims - labels.shape.ndims
            if surplus == 1:
                predictions = tf.squeeze(predictions, [-1])
            elif surplus == -1:
                labels = tf.squeeze(labels, [-1])
            return predictions, labels
        difference = tf.rank(predictions) - tf.rank(labels)
        return _squeezed_if(tf.equal(1, difference), predictions), _squeezed_if(tf.equal(-1, difference), labels)


def _squeezed_if(condition: Any, tensor: Any) -> Any:
    """Returns a tensor without its last axis if the condition holds and that axis may have the size 1."""
    if tensor.shape.ndims is not None and tensor.shape.as_list()[-1] not in (1, None):
        return tensor
    return tf.cond(condition, lambda: tf.squeeze(tensor, [-1]), lambda: tensor)


def with_same_shape(expected_tensor: Any, tensor: Any) -> Any:
    """Returns `tensor` with a check that it has the shape of `expected_tensor`; see `with_shape`."""
    with tf.name_scope(f"{tensor.op.name}/", values=[expected_tensor, tensor]):
        shape = expected_tensor.shape
        expected = shape.as_list() if shape.is_fully_defined() else tf.shape(expected_tensor, name="expected_shape")
        return with_shape(expected, tensor)


def with_shape(expected_shape: Any, tensor: Any) -> Any:
    """Returns a tensor after a check of its shape: now if both shapes are known, else at run time.

    Args:
        expected_shape: List, array, TensorShape or int32 tensor; for `[]`, one element is reshaped to a scalar.
        tensor: Tensor of any shape.

    Raises:
        ValueError: The shape differs, or is no list of ints.
    """
    if isinstance(tensor, tf.SparseTensor):
        raise ValueError("SparseTensor not supported.")
    if isinstance(expected_shape, (list, tuple)):
        array = np.asarray(expected_shape)
        expected_shape = array.astype(np.int32) if array.dtype == np.int64 or not array.size else array
    if isinstance(expected_shape, np.ndarray) and expected_shape.ndim > 1:
        raise ValueError(f"Invalid rank {expected_shape.ndim} for shape {expected_shape} expected of {tensor.name}.")
    is_dynamic = tf.is_tensor(expected_shape)
    if (is_dynamic or isinstance(expected_shape, np.ndarray)) and tf.as_dtype(
        expected_shape.dtype
    ).base_dtype != tf.int32:
        raise ValueError(f"Invalid dtype {expected_shape.dtype} for shape {expected_shape} expected of {tensor.name}.")

    shape = tensor.shape
    is_scalar = not is_dynamic and len(expected_shape) < 1
    if is_dynamic or not shape.is_fully_defined():
        with tf.name_scope(f"{tensor.op.name}/", values=[tensor]):
            if is_scalar:
                return tf.reshape(tensor, [])
            with tf.control_dependencies([_assert_shape(expected_shape, tensor)]):
                result = tf.identity(tensor)
            if not is_dynamic:
                result.set_shape(expected_shape)
            return result
    if shape.is_compatible_with(expected_shape):
        return tensor
    if is_scalar and shape.is_compatible_with([1]):
        with tf.name_scope(f"{tensor.op.name}/", values=[tensor]):
            return tf.reshape(tensor, [])
    raise ValueError(f"Invalid shape for tensor {tensor.name}, expected {expected_shape}, got {shape}.")


def _assert_shape(expected: Any, tensor: Any) -> Any:
    with tf.name_scope("assert_shape", values=[tensor]) as scope:
        if isinstance(expected, tf.TensorShape):
            expected = [-1 if size is None else size for size in expected.as_list()]
        actual = tf.shape(tensor, name="actual")
        same_rank = tf.equal(tf.size(expected), tf.rank(tensor))
        # tf.equal fails for shapes of different ranks, with a less clear message than the assertion's.
        same = tf.cond(
            same_rank,
            lambda: tf.reduce_all(tf.logical_or(tf.equal(expected, -1), tf.equal(expected, actual))),
            lambda: tf.constant(False),
        )
        message = f"Wrong shape for {tensor.name} [expected] [actual]."
        return tf.Assert(same, [message, expected, actual], name=scope)


def assert_scalar_int(tensor: Any, name: str | None = None) -> Any:
    """Returns a tensor after a check that it is a single int.

    Args:
        tensor: Int tensor of shape `[]`.
        name: Name scope.

    Raises:
        ValueError: The tensor isn't a scalar, or has another dtype.
    """
    with tf.name_scope(name, "assert_scalar_int", [tensor]) as scope:
        tensor = tf.convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise ValueError(f"Expected integer type for {tensor.name}, received type: {tensor.dtype}.")
        return tf.debugging.assert_scalar(tensor, name=scope)
