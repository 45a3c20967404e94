# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Sequences of ids as vectors, by tf.contrib.layers."""

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
    """The mean of the embeddings of each example's ids, a bag of words.

    Args:
        ids: [batch, length], dense or sparse.
        vocab_size: How many ids there are.
        embed_dim: How long an embedding is.
        sparse_lookup: Whether an id of 0 counts as none.
        initializer: The embeddings'.
        regularizer: The embeddings'.
        trainable: Whether the embeddings are trained.
        scope: The variable scope.
        reuse: Whether the embeddings are those of an earlier layer.

    Raises:
        ValueError: A size is missing.
        TypeError: The ids are sparse, and `sparse_lookup` is not asked for.
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
            given = ids if sparse else dense_to_sparse_tensor(ids)
            return safe_embedding_lookup_sparse([embeddings], given, combiner="mean", default_id=0)
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
    """The embeddings of ids: [batch, length, embed_dim]; see `bow_encoder` for the arguments.

    Args:
        unique: Whether each id is looked up once.

    Raises:
        ValueError: A size is missing, and the embeddings aren't those of an earlier layer.
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
