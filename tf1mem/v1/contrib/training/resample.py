# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Batches in which an example comes as often as its rate says."""

from __future__ import annotations

from typing import Any

from tensorflow.python.training.moving_averages import assign_moving_average

import tf1mem.v1 as tf


def _repeat_range(counts: Any) -> Any:
    """Each index as often as it is to come: [0, 2, 1] gives [1, 1, 2]."""
    counts = tf.convert_to_tensor(counts, name="counts")
    longest = tf.reduce_max(tf.concat([counts, [0]], 0))
    # A row for each index, true as often as it is to come.
    return tf.cast(tf.where(tf.sequence_mask(counts, longest))[:, 0], tf.int32)


def resample_at_rate(
    inputs: Any, rates: Any, scope: str | None = None, seed: int | None = None, back_prop: bool = False
) -> list[Any]:
    """Repeats or drops examples, each as often as a Poisson distribution says.

    Args:
        inputs: Tensors with the same first dimension.
        rates: How often each example is to come, on average.
        scope: Name of the operations.
        seed: Of the random numbers.
        back_prop: Whether gradients go through the choice of examples.

    Returns:
        The tensors, whose first dimension is the number of examples chosen.
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
    """Repeats or drops examples by weights, whose mean is estimated along the way.

    Args:
        inputs: Tensors with the same first dimension.
        weights: Weight of each example.
        overall_rate: How many examples come out for each that goes in, on average.
        scope: Name of the operations.
        mean_decay: Decay of the moving average of the weights.
        seed: Of the random numbers.

    Returns:
        The tensors, and the rate at which each example in them was to come.
    """
    with tf.name_scope(scope, "weighted_resample", inputs) as name:
        with tf.variable_scope(scope, "estimate_mean", inputs):
            estimated_mean = tf.get_local_variable(
                "estimated_mean", initializer=tf.cast(0, weights.dtype), dtype=weights.dtype
            )
            mean = assign_moving_average(estimated_mean, tf.reduce_mean(weights), mean_decay)
        rates = weights * overall_rate / mean
        rates_of_chosen, *chosen = resample_at_rate([rates, *inputs], rates, scope=name, seed=seed)
        return chosen, rates_of_chosen
