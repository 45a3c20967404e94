# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Features crossed with each other, by tf.contrib.layers.

With a hash key TensorFlow's own op computes what contrib's did. Without one contrib's op joined fingerprints in a way
that is gone; here it is composed of ops that are there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from tensorflow.python.ops import gen_sparse_ops

import tf1mem.v1 as tf

SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY = 0xDECAFCAFFE

# The op without a key: where it starts, and what it adds with each feature (a 64-bit number, here with its sign).
_FIRST = 0xDECAFCAFFE
_ADDED = int(np.uint64(0x9E3779B97F4A7800).astype(np.int64))
_MOST = np.iinfo(np.int64).max


def sparse_feature_cross(
    inputs: list[Any], hashed_output: bool = False, num_buckets: int = 0, name: str | None = None, hash_key: Any = None
) -> Any:
    """Every combination of an example's features, one of each input, as a SparseTensor: [batch, combinations].

    Args:
        inputs: Matrices of strings or integers, dense or sparse. Sparse ones come first in a combination.
        hashed_output: Whether a combination is a number; else it is a string: "a_X_b".
        num_buckets: The numbers are below it; 0 for any.
        name: The op's.
        hash_key: Where hashing starts; None for another way of hashing, which TensorFlow 1 had first.

    Raises:
        TypeError: The inputs are no list, or one is no tensor.
    """
    if not isinstance(inputs, list):
        raise TypeError(f"sparse_feature_cross({inputs!r}): Inputs must be a list")
    if not all(isinstance(given, (tf.SparseTensor, tf.Tensor)) for given in inputs):
        raise TypeError(f"sparse_feature_cross({inputs!r}): All inputs must be SparseTensors or Tensors")
    sparse = [_with_integers(given) for given in inputs if isinstance(given, tf.SparseTensor)]
    dense = [_integers(given) for given in inputs if not isinstance(given, tf.SparseTensor)]
    if hashed_output and not hash_key:
        with tf.name_scope(name, "SparseFeatureCross"):
            return _hashed_without_key(sparse, dense, num_buckets)
    return _crossed(sparse, dense, hashed_output, num_buckets, hash_key or 0, name)


def _integers(values: Any) -> Any:
    return values if values.dtype == tf.string else tf.cast(values, tf.int64)


def _with_integers(given: Any) -> Any:
    return tf.SparseTensor(given.indices, _integers(given.values), given.dense_shape)


def _crossed(sparse: Any, dense: Any, hashed: bool, num_buckets: int, hash_key: int, name: str | None) -> Any:
    values = [given.values for given in sparse]
    has_integers = any(given.dtype != tf.string for given in [*values, *dense])
    return tf.SparseTensor(
        *gen_sparse_ops.sparse_cross(
            indices=[given.indices for given in sparse],
            values=values,
            shapes=[given.dense_shape for given in sparse],
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
    """Crosses the places of the features, "3_X_0", and joins the fingerprints of what stands there."""
    values = [given.values for given in sparse] + [tf.reshape(given, [-1]) for given in dense]
    places = [tf.range(tf.size(part, out_type=tf.int64)) for part in values]
    crossed = _crossed(
        [tf.SparseTensor(given.indices, at, given.dense_shape) for given, at in zip(sparse, places)],
        [tf.reshape(at, tf.shape(given)) for given, at in zip(dense, places[len(sparse) :])],
        False, 0, 0, None,
    )  # fmt: skip
    split = tf.strings.split(crossed.values, sep="_X_").values
    chosen = tf.reshape(tf.strings.to_number(split, tf.int64), [-1, len(values)])
    hashed = tf.constant(_FIRST, tf.int64)
    for number, part in enumerate(values):
        feature = tf.gather(_fingerprints(part), chosen[:, number])
        shifted = tf.bitwise.left_shift(hashed, tf.constant(10, tf.int64))
        shifted += tf.bitwise.right_shift(hashed, tf.constant(4, tf.int64))
        hashed = tf.bitwise.bitwise_xor(hashed + tf.zeros_like(feature), feature + _ADDED + shifted)
    return tf.SparseTensor(crossed.indices, _unsigned_remainder(hashed, num_buckets or _MOST), crossed.dense_shape)


def _fingerprints(values: Any) -> Any:
    return tf.bitcast(tf.fingerprint(values), tf.int64) if values.dtype == tf.string else values


def _unsigned_remainder(numbers: Any, divisor: int) -> Any:
    """What is left of numbers that have no sign, though their type has one: the uppermost bit stands for 2 ** 63."""
    lower = tf.bitwise.bitwise_and(numbers, tf.constant(_MOST, tf.int64))
    upper = tf.cast(numbers < 0, tf.int64) * (2**63 % divisor)
    return (lower % divisor + upper) % divisor
