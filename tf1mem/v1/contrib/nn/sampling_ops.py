# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Softmax losses over samples of many classes."""

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
    """Returns the sampled softmax loss over those `num_resampled` of the sampled classes that have the largest logits.

    Args:
        weights: `[num_classes, dim]` tensor, or a list of its partitions.
        biases: `[num_classes]` tensor.
        labels: `[batch, num_true]` int64 tensor of classes.
        inputs: `[batch, dim]` tensor.
        num_sampled: Number of classes to sample.
        num_resampled: Number of sampled classes to use, less than `num_sampled`.
        num_classes: Number of classes.
        num_true: Number of labels per example.
        sampled_values: Result of a candidate sampler; None to sample by a learned unigram sampler.
        resampling_temperature: Temperature that inputs are divided by to rank the classes.
        remove_accidental_hits: True to remove sampled classes that are labels.
        partition_strategy: "div" or "mod".
        name: Name scope of the ops.

    Returns:
        `[batch]` tensor of losses.

    Raises:
        ValueError: `num_sampled` exceeds `num_classes`, `num_resampled` isn't less than `num_sampled`, or
            `partition_strategy` is neither of the two.
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
        scaled_inputs = inputs / resampling_temperature

        def log_sum_exp(embeddings: Any) -> Any:
            """Returns, for each of `[classes, dim]` embeddings, the log-sum-exp of its products with the inputs."""
            return tf.reduce_logsumexp(tf.matmul(embeddings, scaled_inputs, transpose_b=True), axis=1)

        logits = embedding_ops._embedding_lookup_and_transform(
            weights, sampled, partition_strategy, transform_fn=log_sum_exp
        )
        sampled_biases = tf.reshape(tf.nn.embedding_lookup(biases, sampled, partition_strategy), [-1])
        _, largest = tf.nn.top_k(logits + sampled_biases / resampling_temperature, k=num_resampled, sorted=False)
        return tf.nn.sampled_softmax_loss(
            weights=weights,
            biases=biases,
            labels=labels,
            inputs=inputs,
            num_sampled=num_resampled,
            num_classes=num_classes,
            num_true=num_true,
            sampled_values=(tf.gather(sampled, largest), true_count, tf.gather(sampled_count, largest)),
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
    """Returns the sampled softmax loss with one label per example, computed by the sparse cross entropy op.

    Args:
        weights: `[num_classes, dim]` tensor, or a list of its partitions.
        biases: `[num_classes]` tensor.
        labels: `[batch, 1]` int64 tensor of classes.
        inputs: `[batch, dim]` tensor.
        num_sampled: Number of classes to sample.
        num_classes: Number of classes.
        sampled_values: Result of a candidate sampler; a log-uniform sampler's by default.
        remove_accidental_hits: True to remove sampled classes that are labels.
        partition_strategy: "div" or "mod".
        name: Name scope of the ops.

    Returns:
        `[batch]` tensor of losses.
    """
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
    # The logits of the true class come first.
    first = tf.zeros([tf.shape(logits)[0]], dtype=tf.int64)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=first, logits=logits)
