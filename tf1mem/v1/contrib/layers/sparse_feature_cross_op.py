# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Crosses of features (tf.contrib.layers): the cross of "a" and "b" is "a_X_b", or a hash.

With a hash key, TensorFlow's own op computes the same hash as contrib's. Without a key, contrib's op computed the hash
by code that TensorFlow no longer has; this module computes the same hash by other ops.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from tensorflow.python.ops import gen_sparse_ops

import tf1mem.v1 as tf

SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY = 0xDECAFCAFFE

# Constants of the hash without a key: its start, and the number added for each feature (uint64, written as int64).
_START = 0xDECAFCAFFE
_INCREMENT = int(np.uint64(0x9E3779B97F4A7800).astype(np.int64))
_INT64_MAX = np.iinfo(np.int64).max


def sparse_feature_cross(
    inputs: list[Any], hashed_output: bool = False, num_buckets: int = 0, name: str | None = None, hash_key: Any = None
) -> Any:
    """Returns every combination of an example's features, one taken from each input.

    Args:
        inputs: List of `[batch, n]` tensors of strings or ints, dense or sparse; sparse tensors come first in a cross.
        hashed_output: True for int64 hashes, False for strings such as "a_X_b".
        num_buckets: Number of hash buckets; 0 for any int64 that isn't negative.
        name: Name of the op.
        hash_key: Start value of the hash; None or 0 for TensorFlow 1's older hash.

    Returns:
        `[batch, combinations]` SparseTensor.

    Raises:
        TypeError: The inputs aren't a list, or an input isn't a tensor.
    """
    if not isinstance(inputs, list):
        raise TypeError(f"sparse_feature_cross({inputs!r}): Inputs must be a list")
    if not all(isinstance(tensor, (tf.SparseTensor, tf.Tensor)) for tensor in inputs):
        raise TypeError(f"sparse_feature_cross({inputs!r}): All inputs must be SparseTensors or Tensors")
    sparse = [_with_int64_values(tensor) for tensor in inputs if isinstance(tensor, tf.SparseTensor)]
    dense = [_as_int64(tensor) for tensor in inputs if not isinstance(tensor, tf.SparseTensor)]
    if hashed_output and not hash_key:
        with tf.name_scope(name, "SparseFeatureCross"):
            return _hashed_without_key(sparse, dense, num_buckets)
    return _crossed(sparse, dense, hashed_output, num_buckets, hash_key or 0, name)


def _as_int64(values: Any) -> Any:
    return values if values.dtype == tf.string else tf.cast(values, tf.int64)


def _with_int64_values(tensor: Any) -> Any:
    return tf.SparseTensor(tensor.indices, _as_int64(tensor.values), tensor.dense_shape)


def _crossed(sparse: Any, dense: Any, hashed: bool, num_buckets: int, hash_key: int, name: str | None) -> Any:
    """Returns the crosses of features, `[batch, num_crosses]`, by the op SparseCross."""
    values = [tensor.values for tensor in sparse]
    has_integers = any(tensor.dtype != tf.string for tensor in [*values, *dense])
    return tf.SparseTensor(
        *gen_sparse_ops.sparse_cross(
            indices=[tensor.indices for tensor in sparse],
            values=values,
            shapes=[tensor.dense_shape for tensor in sparse],
            dense_inputs=dense,
            hashed_output=hashed,
            num_buckets=num_buckets,
            hash_key=hash_key,
            out_type=tf.int64 if hashed else tf.string,
            internal_type=tf.int64 if has_integers else tf.string,
            name=name,
        )
    )


def _hashed_without_key(sparse: Any, dense: Any, num_buckets: int) -> Any:
    """Crosses the positions of the features ("3_X_0") and hashes the values at these positions."""
    values = [tensor.values for tensor in sparse] + [tf.reshape(tensor, [-1]) for tensor in dense]
    positions = [tf.range(tf.size(part, out_type=tf.int64)) for part in values]
    crossed = _crossed(
        [tf.SparseTensor(tensor.indices, position, tensor.dense_shape) for tensor, position in zip(sparse, positions)],
        [tf.reshape(position, tf.shape(tensor)) for tensor, position in zip(dense, positions[len(sparse) :])],
        False, 0, 0, None,
    )  # fmt: skip
    split = tf.strings.split(crossed.values, sep="_X_").values
    chosen_positions = tf.reshape(tf.strings.to_number(split, tf.int64), [-1, len(values)])
    hashed = tf.constant(_START, tf.int64)
    for number, part in enumerate(values):
        feature = tf.gather(_fingerprints(part), chosen_positions[:, number])
        shifted = tf.bitwise.left_shift(hashed, tf.constant(10, tf.int64))
        shifted += tf.bitwise.right_shift(hashed, tf.constant(4, tf.int64))
        hashed = tf.bitwise.bitwise_xor(hashed + tf.zeros_like(feature), feature + _INCREMENT + shifted)
    return tf.SparseTensor(crossed.indices, _unsigned_remainder(hashed, num_buckets or _INT64_MAX), crossed.dense_shape)


def _fingerprints(values: Any) -> Any:
    return tf.bitcast(tf.fingerprint(values), tf.int64) if values.dtype == tf.string else values


def _unsigned_remainder(numbers: Any, divisor: int) -> Any:
    """Returns the remainder of int64 values read as uint64: the sign bit stands for 2 ** 63."""
    lower = tf.bitwise.bitwise_and(numbers, tf.constant(_INT64_MAX, tf.int64))
    upper = tf.cast(numbers < 0, tf.int64) * (2**63 % divisor)
    return (lower % divisor + upper) % divisor
