# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Embedding lookups (tf.contrib.layers)."""

from __future__ import annotations

from typing import Any

# PartitionedVariable has no public name.
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
    """Looks up the embeddings of each row's ids and combines them; ids below 0 are left out.

    Args:
        embedding_weights: `[vocab_size, embed_dim]` float variable or tensor, or a list of its parts.
        sparse_ids: `[batch, length]` int SparseTensor.
        sparse_weights: SparseTensor of the same shape with the ids' weights; None for weights of 1.
        combiner: "mean" (default), "sqrtn" or "sum".
        default_id: Id for rows without ids; None for zeros as their embedding.
        name: Name scope.
        partition_strategy: "div" (default) or "mod": the distribution of ids over the parts.
        max_norm: L2 norm to which longer embeddings are clipped; None for no limit.

    Returns:
        `[batch, embed_dim]` float tensor.

    Raises:
        ValueError: There are no embeddings, or the parts and the weights differ in dtype.
    """
    tensors = [part for part in parts_of(embedding_weights) if tf.is_tensor(part)]
    tf.debugging.assert_same_float_dtype([*tensors, sparse_weights])
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
    """Looks up and combines embeddings like `tf.nn.embedding_lookup_sparse`; by default it takes their mean.

    TensorFlow 1 first added up the embeddings on each device. Here they are added up at once; the sums are equal.

    Args:
        params: `[ids, dimension]` embeddings, or a list of their parts.
        sp_ids: `[batch, length]` int SparseTensor of ids.
        sp_weights: `[batch, length]` float SparseTensor with a weight for each id; None for weights of 1.
        partition_strategy: "mod" (default) or "div": the distribution of ids over the parts.
        name: Name scope.
        combiner: "mean" (default), "sqrtn" or "sum".
        max_norm: L2 norm to which longer embeddings are clipped; None for no limit.

    Returns:
        `[batch, dimension]` tensor.
    """
    return tf.nn.embedding_lookup_sparse(
        params, sp_ids, sp_weights, partition_strategy, name, "mean" if combiner is None else combiner, max_norm
    )


def embedding_lookup_unique(params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None) -> Any:
    """Looks up the embeddings of ids, each distinct id once.

    Args:
        params: `[vocab_size, embed_dim]` float variable or tensor, or a list of its parts.
        ids: Int tensor of any shape.
        partition_strategy: "mod" (default) or "div": the distribution of ids over the parts.
        name: Name scope.

    Returns:
        Tensor of shape `ids.shape + [embed_dim]`.
    """
    with tf.name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = tf.convert_to_tensor(ids)
        unique, positions = tf.unique(tf.reshape(ids, [-1]))
        embeddings = tf.nn.embedding_lookup(params, unique, partition_strategy)
        looked_up = tf.reshape(
            tf.gather(embeddings, positions), tf.concat([tf.shape(ids), tf.shape(embeddings)[1:]], 0)
        )
        looked_up.set_shape(ids.shape.concatenate(embeddings.shape[1:]))
        return looked_up


def scattered_embedding_lookup(
    params: Any, values: Any, dimension: int, name: str | None = None, hash_key: Any = None
) -> Any:
    """Looks up embeddings without a vocabulary: for each component of an embedding a hash picks one of the weights.

    Chen et al. 2015, arXiv:1504.04788.

    Args:
        params: `[size]` float vector of weights, or a list of its parts; the first parts may be longer by one.
        values: String or int tensor of any shape.
        dimension: Length of an embedding.
        name: Name scope.
        hash_key: Start value of the hash; None or 0 for TensorFlow 1's older hash.

    Returns:
        Float tensor of shape `values.shape + [dimension]`.

    Raises:
        ValueError: `dimension` is missing or not positive, or a part has the wrong length.
    """
    if dimension is None:
        raise ValueError("dimension: this is missing. Give the length of an embedding.")
    return _sampled_scattered_embedding_lookup(params, values, dimension, None, hash_key, name)


def _sampled_scattered_embedding_lookup(
    params: Any,
    values: Any,
    dimension: Any = None,
    sampled_candidates: Any = None,
    hash_key: Any = None,
    name: str | None = None,
) -> Any:
    """Looks up whole scattered embeddings, or some of each embedding's components.

    Args:
        params: `[size]` float vector of weights, or a list of its parts.
        values: String or int tensor of any shape.
        dimension: Length of an embedding; only without `sampled_candidates`.
        sampled_candidates: Indices of the components to look up, int tensor of shape `values.shape + [n]`.
        hash_key: Start value of the hash; None or 0 for TensorFlow 1's older hash.
        name: Name scope.

    Returns:
        Float tensor of shape `values.shape + [dimension]`, or `values.shape + [n]`.

    Raises:
        ValueError: Both `dimension` and `sampled_candidates` are None, `dimension` isn't positive, or a part has the
            wrong length.
    """
    parts = parts_of(params)
    with tf.name_scope(name, "scattered_embedding_lookup", [*parts, dimension, values]):
        values_shape = tf.shape(values)
        values = tf.reshape(values, [-1, 1])
        if sampled_candidates is None:
            if dimension is None:
                raise ValueError("dimension, sampled_candidates: both are None. Give one of them.")
            if dimension <= 0:
                raise ValueError(f"Dimension must be >0. Given is {dimension}")
            positions = tf.tile(tf.expand_dims(tf.range(0, dimension), 0), tf.shape(values))
        else:
            shape = tf.shape(sampled_candidates)
            dimension = shape[-1]
            fits = tf.reduce_all(tf.equal(shape, tf.concat([values_shape, [dimension]], 0)))
            with tf.control_dependencies([tf.Assert(fits, ["sampled_candidates:", shape, "values:", values_shape])]):
                positions = tf.reshape(sampled_candidates, [-1, dimension])
        for part in parts:
            part.shape.assert_has_rank(1)
            part.shape.assert_is_fully_defined()
        sizes = [part.shape.as_list()[0] for part in parts]
        total = sum(sizes)
        for number, size in enumerate(sizes):
            expected = (total - number - 1) // len(parts) + 1
            if size != expected:
                raise ValueError(f"Tensor {number} in params has size {size}, expected {expected}.")
        ids = sparse_feature_cross([positions, values], hashed_output=True, num_buckets=total, hash_key=hash_key)
        looked_up = tf.nn.embedding_lookup(parts, tf.sparse_tensor_to_dense(ids), partition_strategy="div")
        return tf.reshape(looked_up, tf.concat([values_shape, [dimension]], 0))


def parts_of(params: Any) -> list[Any]:
    """Returns the list of the parts of a partitioned variable or of a list; of any other value, only the value.

    Args:
        params: Variable, tensor or list of them, of any shape.
    """
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
    """Looks up the embeddings of each row's values and combines them; a hash picks the weights.

    Args:
        params: `[size]` float vector of weights, or a list of its parts; the first parts may be longer by one.
        sparse_values: `[batch, length]` SparseTensor of strings or ints.
        dimension: Length of an embedding.
        combiner: "mean" (default), "sqrtn" or "sum".
        default_value: Value for rows without values; by default a value that is unlikely to occur.
        name: Name scope.
        hash_key: Start value of the hash; None or 0 for TensorFlow 1's older hash.

    Returns:
        `[batch, dimension]` float tensor.

    Raises:
        TypeError: `sparse_values` isn't a SparseTensor.
        ValueError: `combiner` is unknown, `dimension` isn't positive, or a part has the wrong length.
    """
    segment_ops = {
        None: tf.sparse_segment_mean,
        "mean": tf.sparse_segment_mean,
        "sum": tf.sparse_segment_sum,
        "sqrtn": tf.sparse_segment_sqrt_n,
    }
    if not isinstance(sparse_values, tf.SparseTensor):
        raise TypeError(f"sparse_values must be SparseTensor, not {type(sparse_values)}")
    if combiner not in segment_ops:
        raise ValueError(f"Combiner must be one of 'mean', 'sqrtn' or 'sum', not {combiner!r}.")
    with tf.name_scope(name, "scattered_embedding_lookup_sparse", [*parts_of(params), sparse_values]) as scope:
        if default_value is None:  # TensorFlow 1's random values.
            default_value = "6ZxWzWOHxZ" if sparse_values.dtype == tf.string else 1288896567
        filled, _ = tf.sparse_fill_empty_rows(sparse_values, default_value)
        rows = tf.cast(filled.indices[:, 0], tf.int32)
        values, positions = tf.unique(filled.values)
        embeddings = scattered_embedding_lookup(params, values, dimension, hash_key=hash_key)
        return segment_ops[combiner](embeddings, positions, rows, name=scope)


def _sampled_scattered_embedding_lookup_sparse(
    params: Any,
    sp_values: Any,
    dimension: Any = None,
    sampled_candidates: Any = None,
    hash_key: Any = None,
    with_sign_hash: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the sum of each row's embeddings, `[batch, dimension]`; `[batch, n]` with `sampled_candidates`.

    Args:
        params: `[size]` float vector of weights, or a list of its parts.
        sp_values: `[batch, length]` SparseTensor of strings or ints.
        dimension: Length of an embedding; only without `sampled_candidates`.
        sampled_candidates: Indices of the components to look up for all values of a row, `[batch, n]` ints.
        hash_key: Start value of the hash; None or 0 for TensorFlow 1's older hash.
        with_sign_hash: True to multiply each component by 1 or -1, which a hash picks.
        name: Name scope.

    Raises:
        TypeError: `sp_values` isn't a SparseTensor.
    """
    if not isinstance(sp_values, tf.SparseTensor):
        raise TypeError(f"sp_values must be SparseTensor, not {type(sp_values)}")
    values = [sp_values, params, dimension, sampled_candidates]
    with tf.name_scope(name, "sampled_scattered_embedding_lookup_sparse", values) as scope:
        rows = sp_values.indices[:, 0]
        positions = None if sampled_candidates is None else tf.gather(sampled_candidates, rows)

        def look_up(weights: Any, name: str) -> Any:
            """Returns the embeddings of all values of the SparseTensor, a `[values, dimension]` float tensor."""
            return _sampled_scattered_embedding_lookup(weights, sp_values.values, dimension, positions, hash_key, name)

        embeddings = look_up(params, "values_lookup")
        if with_sign_hash:
            embeddings = tf.multiply(look_up(tf.constant([-1.0, 1.0]), "signs_lookup"), embeddings, name="signs_hash")
        number = tf.shape(sp_values)[0]
        return tf.unsorted_segment_sum(embeddings, tf.cast(rows, tf.int32), num_segments=number, name=scope)
