# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Resampling of batches: each example is repeated or dropped by its rate (tf.contrib.training)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.training.moving_averages import assign_moving_average

import tf1mem.v1 as tf


def _repeat_range(counts: Any) -> Any:
    """Returns each index, repeated by its count: [0, 2, 1] gives [1, 1, 2]."""
    counts = tf.convert_to_tensor(counts, name="counts")
    longest = tf.reduce_max(tf.concat([counts, [0]], 0))
    # The mask has a row for each index, with as many True entries as its count.
    return tf.cast(tf.where(tf.sequence_mask(counts, longest))[:, 0], tf.int32)


def resample_at_rate(
    inputs: Any, rates: Any, scope: str | None = None, seed: int | None = None, back_prop: bool = False
) -> list[Any]:
    """Repeats or drops each example by a Poisson distributed count.

    Args:
        inputs: List of `[batch, ...]` tensors.
        rates: `[batch]` float tensor: mean number of copies of each example.
        scope: Name scope.
        seed: Seed of the random numbers.
        back_prop: False to stop gradients at the chosen indices; no effect, because integers have no gradient.

    Returns:
        List of `[new_batch, ...]` tensors.
    """
    with tf.name_scope(scope, "resample_at_rate", [*inputs, rates]):
        rates = tf.convert_to_tensor(rates, name="rates")
        counts = tf.cast(tf.random_poisson(rates, (), rates.dtype, seed=seed), tf.int32)
        indices = _repeat_range(counts)
        if not back_prop:
            indices = tf.stop_gradient(indices)
        return [tf.gather(each, indices) for each in inputs]


def weighted_resample(
    inputs: Any,
    weights: Any,
    overall_rate: Any,
    scope: str | None = None,
    mean_decay: float = 0.999,
    seed: int | None = None,
) -> tuple[list[Any], Any]:
    """Repeats or drops examples by weights, relative to a moving average of their mean.

    Args:
        inputs: List of `[batch, ...]` tensors.
        weights: `[batch]` float tensor of the examples' weights.
        overall_rate: Mean number of output examples for each input example.
        scope: Name scope.
        mean_decay: Decay of the moving average; 0.999 by default.
        seed: Seed of the random numbers.

    Returns:
        List of `[new_batch, ...]` tensors, and the `[new_batch]` rates of their examples.
    """
    with tf.name_scope(scope, "weighted_resample", inputs) as name:
        with tf.variable_scope(scope, "estimate_mean", inputs):
            estimated_mean = tf.get_local_variable(
                "estimated_mean", initializer=tf.cast(0, weights.dtype), dtype=weights.dtype
            )
            mean = assign_moving_average(estimated_mean, tf.reduce_mean(weights), mean_decay)
        rates = weights * overall_rate / mean
        chosen_rates, *chosen = resample_at_rate([rates, *inputs], rates, scope=name, seed=seed)
        return chosen, chosen_rates
