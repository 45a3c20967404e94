# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Losses over samples of many classes, by tf.contrib.nn."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops import embedding_ops, nn_impl

import tf1mem.v1 as tf


def rank_sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_resampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    resampling_temperature: Any,
    remove_accidental_hits: bool,
    partition_strategy: str,
    name: str | None = None,
) -> Any:
    """`tf.nn.sampled_softmax_loss` over those classes of a sample that the inputs are nearest to; see there.

    Args:
        num_sampled: How many classes are sampled.
        num_resampled: How many of them are taken.
        resampling_temperature: What inputs are divided by before classes are ranked.

    Raises:
        ValueError: These numbers don't go together, or there is no such strategy.
    """
    if num_sampled > num_classes:
        raise ValueError(f"num_sampled ({num_sampled}) cannot be greater than num_classes ({num_classes})")
    if num_sampled <= num_resampled:
        raise ValueError(f"num_resampled ({num_resampled}) must be less than num_sampled ({num_sampled})")
    if partition_strategy not in ("div", "mod"):
        raise ValueError(f"unsupported partition_strategy ({partition_strategy})")
    values = [weights, biases, labels, inputs, sampled_values, resampling_temperature]
    with tf.name_scope(name, "rank_sampled_softmax_loss", values) as scope:
        if not sampled_values:
            sampled_values = tf.nn.learned_unigram_candidate_sampler(
                true_classes=labels, num_true=num_true, num_sampled=num_sampled, unique=True, range_max=num_classes
            )
        sampled, true_count, sampled_count = (tf.stop_gradient(each) for each in sampled_values)
        sampled = tf.cast(sampled, tf.int64)
        heated = inputs / resampling_temperature

        def nearness(embeddings: Any) -> Any:
            return tf.reduce_logsumexp(tf.matmul(embeddings, heated, transpose_b=True), axis=1)

        logits = embedding_ops._embedding_lookup_and_transform(
            weights, sampled, partition_strategy, transform_fn=nearness
        )
        of_sampled = tf.reshape(tf.nn.embedding_lookup(biases, sampled, partition_strategy), [-1])
        _, nearest = tf.nn.top_k(logits + of_sampled / resampling_temperature, k=num_resampled, sorted=False)
        return tf.nn.sampled_softmax_loss(
            weights=weights,
            biases=biases,
            labels=labels,
            inputs=inputs,
            num_sampled=num_resampled,
            num_classes=num_classes,
            num_true=num_true,
            sampled_values=(tf.gather(sampled, nearest), true_count, tf.gather(sampled_count, nearest)),
            remove_accidental_hits=remove_accidental_hits,
            partition_strategy=partition_strategy,
            name=scope,
        )


def sampled_sparse_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_sparse_softmax_loss",
) -> Any:
    """`tf.nn.sampled_softmax_loss` with one label for each example, by the sparse cross-entropy; see there."""
    logits, _ = nn_impl._compute_sampled_logits(
        weights=weights,
        biases=biases,
        labels=labels,
        inputs=inputs,
        num_sampled=num_sampled,
        num_classes=num_classes,
        num_true=1,
        sampled_values=sampled_values,
        subtract_log_q=True,
        remove_accidental_hits=remove_accidental_hits,
        partition_strategy=partition_strategy,
        name=name,
    )
    # The true class is always the first of those that logits are of.
    first = tf.zeros([tf.shape(logits)[0]], dtype=tf.int64)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=first, logits=logits)
