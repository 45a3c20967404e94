# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Encoders of id sequences (tf.contrib.layers)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.variables import model_variable
from tf1mem.v1.contrib.layers.embedding_ops import embedding_lookup_unique, safe_embedding_lookup_sparse
from tf1mem.v1.contrib.layers.sparse_ops import dense_to_sparse_tensor


def bow_encoder(
    ids: Any,
    vocab_size: int,
    embed_dim: int,
    sparse_lookup: bool = True,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Any:
    """Encodes each example as the mean of its ids' embeddings (bag of words).

    Args:
        ids: `[batch, length]` int tensor, dense or sparse.
        vocab_size: Number of ids.
        embed_dim: Length of an embedding.
        sparse_lookup: True to ignore the id 0.
        initializer: Initializer of the embeddings.
        regularizer: Regularizer of the embeddings.
        trainable: True to train the embeddings.
        scope: Variable scope.
        reuse: True to share the embeddings of an earlier layer.

    Returns:
        `[batch, embed_dim]` float tensor.

    Raises:
        ValueError: `vocab_size` or `embed_dim` is missing.
        TypeError: The ids are sparse, and `sparse_lookup` is False.
    """
    if not vocab_size or not embed_dim:
        raise ValueError("vocab_size, embed_dim: one of them is missing or 0. Give both.")
    with tf.variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        embeddings = model_variable(
            "embeddings",
            shape=[vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        sparse = isinstance(ids, tf.SparseTensor)
        if sparse_lookup:
            sparse_ids = ids if sparse else dense_to_sparse_tensor(ids)
            return safe_embedding_lookup_sparse([embeddings], sparse_ids, combiner="mean", default_id=0)
        if sparse:
            raise TypeError(f"ids are expected to be dense Tensor, got: {ids}")
        return tf.reduce_mean(tf.nn.embedding_lookup(embeddings, ids), axis=1)


def embed_sequence(
    ids: Any,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Any:
    """Looks up the embeddings of ids; see `bow_encoder` for the other arguments.

    Args:
        ids: `[batch, length]` int tensor.
        unique: True to look each distinct id up once.

    Returns:
        `[batch, length, embed_dim]` float tensor.

    Raises:
        ValueError: `vocab_size` or `embed_dim` is missing, and `reuse` isn't set.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "vocab_size, embed_dim: new embeddings need both. Give both, or reuse=True. "
            f"Got vocab_size={vocab_size} and embed_dim={embed_dim}"
        )
    with tf.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        embeddings = model_variable(
            "embeddings",
            shape=None if vocab_size is None or embed_dim is None else [vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        lookup = embedding_lookup_unique if unique else tf.nn.embedding_lookup
        return lookup(embeddings, ids)
