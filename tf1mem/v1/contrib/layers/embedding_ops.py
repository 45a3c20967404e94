# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Looking embeddings up, by tf.contrib.layers."""

from __future__ import annotations

from typing import Any

# PartitionedVariable is public nowhere.
from tensorflow.python.ops import variables as tf1_variables

import tf1mem.v1 as tf
from tf1mem.v1.contrib.layers.sparse_feature_cross_op import sparse_feature_cross


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str | None = None,
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
) -> Any:
    """The embeddings of each row's ids, combined; see `tf.nn.safe_embedding_lookup_sparse`.

    Args:
        combiner: "mean" by default, "sqrtn" or "sum".
        default_id: The id of a row that has none; zeros by default.

    Raises:
        ValueError: There are no embeddings, or some are of another type than the others or the weights.
    """
    typed = [part for part in parts_of(embedding_weights) if tf.is_tensor(part)]
    tf.debugging.assert_same_float_dtype([*typed, sparse_weights])
    return tf.nn.safe_embedding_lookup_sparse(
        embedding_weights,
        sparse_ids,
        sparse_weights,
        combiner="mean" if combiner is None else combiner,
        default_id=default_id,
        name=name,
        partition_strategy=partition_strategy,
        max_norm=max_norm,
    )


def embedding_lookup_sparse_with_distributed_aggregation(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
) -> Any:
    """`tf.nn.embedding_lookup_sparse`; see there.

    What lies on one device isn't added up there first, as it was on TensorFlow 1: its sums are the same.
    """
    return tf.nn.embedding_lookup_sparse(
        params, sp_ids, sp_weights, partition_strategy, name, "mean" if combiner is None else combiner, max_norm
    )


def embedding_lookup_unique(params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None) -> Any:
    """`tf.nn.embedding_lookup` that looks each id up once; see there."""
    with tf.name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = tf.convert_to_tensor(ids)
        unique, positions = tf.unique(tf.reshape(ids, [-1]))
        embeddings = tf.nn.embedding_lookup(params, unique, partition_strategy)
        found = tf.reshape(tf.gather(embeddings, positions), tf.concat([tf.shape(ids), tf.shape(embeddings)[1:]], 0))
        found.set_shape(ids.shape.concatenate(embeddings.shape[1:]))
        return found


def scattered_embedding_lookup(
    params: Any, values: Any, dimension: int, name: str | None = None, hash_key: Any = None
) -> Any:
    """An embedding of each value without a vocabulary: the value and a place in the embedding are hashed to a weight.

    Args:
        params: The weights, a vector, or its parts in lists of the same length, of which the first may have one more.
        values: Strings or integers.
        dimension: How long an embedding is.
        name: The ops' scope.
        hash_key: As `sparse_feature_cross` takes it.

    Raises:
        ValueError: The dimension isn't positive, or a part is of another length.
    """
    if dimension is None:
        raise ValueError("scattered_embedding_lookup needs a dimension, and has none: give one")
    return _sampled_scattered_embedding_lookup(params, values, dimension, None, hash_key, name)


def _sampled_scattered_embedding_lookup(
    params: Any,
    values: Any,
    dimension: Any = None,
    sampled_candidates: Any = None,
    hash_key: Any = None,
    name: str | None = None,
) -> Any:
    """The same, where each value may have places of its own, `sampled_candidates`, in the stead of all."""
    parts = parts_of(params)
    with tf.name_scope(name, "scattered_embedding_lookup", [*parts, dimension, values]):
        values_shape = tf.shape(values)
        values = tf.reshape(values, [-1, 1])
        if sampled_candidates is None:
            if dimension is None:
                raise ValueError("dimension, sampled_candidates: neither was given. Give one.")
            if dimension <= 0:
                raise ValueError(f"Dimension must be >0. Given is {dimension}")
            places = tf.tile(tf.expand_dims(tf.range(0, dimension), 0), tf.shape(values))
        else:
            shape = tf.shape(sampled_candidates)
            dimension = shape[-1]
            fits = tf.reduce_all(tf.equal(shape, tf.concat([values_shape, [dimension]], 0)))
            with tf.control_dependencies([tf.Assert(fits, ["sampled_candidates:", shape, "values:", values_shape])]):
                places = tf.reshape(sampled_candidates, [-1, dimension])
        for part in parts:
            part.shape.assert_has_rank(1)
            part.shape.assert_is_fully_defined()
        sizes = [part.shape.as_list()[0] for part in parts]
        total = sum(sizes)
        for number, size in enumerate(sizes):
            expected = (total - number - 1) // len(parts) + 1
            if size != expected:
                raise ValueError(f"Tensor {number} in params has size {size}, expected {expected}.")
        ids = sparse_feature_cross([places, values], hashed_output=True, num_buckets=total, hash_key=hash_key)
        found = tf.nn.embedding_lookup(parts, tf.sparse_tensor_to_dense(ids), partition_strategy="div")
        return tf.reshape(found, tf.concat([values_shape, [dimension]], 0))


def parts_of(params: Any) -> list[Any]:
    """The parts of a variable, or those of a list; what has none is its only one."""
    if isinstance(params, (list, tf1_variables.PartitionedVariable)):
        return list(params)
    return [params]


def scattered_embedding_lookup_sparse(
    params: Any,
    sparse_values: Any,
    dimension: int,
    combiner: str | None = None,
    default_value: Any = None,
    name: str | None = None,
    hash_key: Any = None,
) -> Any:
    """The embeddings of each row's values, combined; see `scattered_embedding_lookup`.

    Args:
        params: See there.
        sparse_values: A SparseTensor with two dimensions.
        dimension: See there.
        combiner: "mean" by default, "sqrtn" or "sum".
        default_value: The value of a row that has none; one that is likely nowhere else by default.
        name: The ops' scope.
        hash_key: See there.

    Raises:
        TypeError: The values aren't sparse.
        ValueError: There is no such combiner.
    """
    combining = {
        None: tf.sparse_segment_mean,
        "mean": tf.sparse_segment_mean,
        "sum": tf.sparse_segment_sum,
        "sqrtn": tf.sparse_segment_sqrt_n,
    }
    if not isinstance(sparse_values, tf.SparseTensor):
        raise TypeError(f"sparse_values must be SparseTensor, not {type(sparse_values)}")
    if combiner not in combining:
        raise ValueError(f"Combiner must be one of 'mean', 'sqrtn' or 'sum', not {combiner!r}.")
    with tf.name_scope(name, "scattered_embedding_lookup_sparse", [*parts_of(params), sparse_values]) as scope:
        if default_value is None:
            default_value = "6ZxWzWOHxZ" if sparse_values.dtype == tf.string else 1288896567
        filled, _ = tf.sparse_fill_empty_rows(sparse_values, default_value)
        rows = tf.cast(filled.indices[:, 0], tf.int32)
        values, places = tf.unique(filled.values)
        embeddings = scattered_embedding_lookup(params, values, dimension, hash_key=hash_key)
        return combining[combiner](embeddings, places, rows, name=scope)


def _sampled_scattered_embedding_lookup_sparse(
    params: Any,
    sp_values: Any,
    dimension: Any = None,
    sampled_candidates: Any = None,
    hash_key: Any = None,
    with_sign_hash: bool = False,
    name: str | None = None,
) -> Any:
    """The sum of each row's embeddings; each number of them with a hashed sign, too, if asked for."""
    if not isinstance(sp_values, tf.SparseTensor):
        raise TypeError(f"sp_values must be SparseTensor, not {type(sp_values)}")
    values = [sp_values, params, dimension, sampled_candidates]
    with tf.name_scope(name, "sampled_scattered_embedding_lookup_sparse", values) as scope:
        rows = sp_values.indices[:, 0]
        places = None if sampled_candidates is None else tf.gather(sampled_candidates, rows)

        def looked_up(weights: Any, name: str) -> Any:
            return _sampled_scattered_embedding_lookup(weights, sp_values.values, dimension, places, hash_key, name)

        embeddings = looked_up(params, "values_lookup")
        if with_sign_hash:
            embeddings = tf.multiply(looked_up(tf.constant([-1.0, 1.0]), "signs_lookup"), embeddings, name="signs_hash")
        number = tf.shape(sp_values)[0]
        return tf.unsorted_segment_sum(embeddings, tf.cast(rows, tf.int32), num_segments=number, name=scope)
