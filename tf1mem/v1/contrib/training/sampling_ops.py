# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Batches of examples that are kept at random."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.control_flow_ops import with_dependencies
from tensorflow.python.training.input import _validate

import tf1mem.v1 as tf


def rejection_sample(
    tensors: Any,
    accept_prob_fn: Any,
    batch_size: int,
    queue_threads: int = 1,
    enqueue_many: bool = False,
    prebatch_capacity: int = 16,
    prebatch_threads: int = 1,
    runtime_checks: bool = False,
    name: str | None = None,
) -> list[Any]:
    """Batches examples, each of which is kept with the probability that a function computes for it.

    Args:
        tensors: List of an example's tensors, or of `[batch, ...]` tensors if `enqueue_many`.
        accept_prob_fn: Function from the list of an example's tensors to the probability of keeping the example, a
            float of shape `[]`.
        batch_size: Number of examples in an output batch.
        queue_threads: Number of threads that fill the queue.
        enqueue_many: True if `tensors` are a batch.
        prebatch_capacity: Capacity of the queue before sampling, used if `enqueue_many`.
        prebatch_threads: Number of threads that fill the queue before sampling.
        runtime_checks: True to raise an InvalidArgumentError, at run time, for a probability outside of 0 to 1.
        name: Variable scope; "rejection_sample" by default.

    Returns:
        List of `[batch_size, ...]` tensors.

    Raises:
        ValueError: `tensors` is empty, or, with `enqueue_many`, the tensors differ in the number of examples.
    """
    with tf.variable_scope(name, "rejection_sample", tensors):
        tensor_list = _validate(tensors)
        if enqueue_many:
            for tensor in tensor_list:
                _first_dimension(tensor).assert_is_compatible_with(_first_dimension(tensor_list[0]))
            tensor_list = _one_by_one(tensor_list, prebatch_threads, prebatch_capacity)
        probability = accept_prob_fn(tensor_list)
        if runtime_checks:
            checks = [tf.assert_less_equal(0.0, probability), tf.assert_less_equal(probability, 1.0)]
            probability = tf.identity(with_dependencies(checks, probability), name="prob_with_checks")
        return _batch_kept(tensor_list, probability, batch_size, queue_threads)


def stratified_sample(
    tensors: Any,
    labels: Any,
    target_probs: Any,
    batch_size: int,
    init_probs: Any = None,
    enqueue_many: bool = False,
    queue_capacity: int = 16,
    threads_per_queue: int = 1,
    name: str | None = None,
) -> tuple[list[Any], Any]:
    """Batches examples so that the classes have the frequencies `target_probs`.

    Args:
        tensors: List of an example's tensors, or of `[batch, ...]` tensors if `enqueue_many`.
        labels: Class of the example, an int of shape `[]`, or `[batch]` classes.
        target_probs: `[num_classes]` frequencies of the classes, with sum 1.
        batch_size: Number of examples in an output batch.
        init_probs: `[num_classes]` frequencies of the classes in the data, with sum 1; None to count them on the way.
        enqueue_many: True if `tensors` and `labels` are a batch.
        queue_capacity: Capacity of the queue before sampling.
        threads_per_queue: Number of threads that fill each queue.
        name: Name scope.

    Returns:
        List of `[batch_size, ...]` tensors, and the `[batch_size]` labels.

    Raises:
        ValueError: The numbers of examples in `tensors` and `labels` differ, or those of classes in `target_probs` and
            `init_probs`; or a shape isn't static.
        InvalidArgumentError: At run time: a label or frequency is out of range, a sum isn't 1, or a class with a
            positive target has the frequency 0 in the data.
    """
    with tf.name_scope(name, "stratified_sample", [*tensors, labels]):
        tensor_list = _validate(tensors)
        labels = tf.convert_to_tensor(labels)
        target_probs = tf.convert_to_tensor(target_probs, dtype=tf.float32)
        if not enqueue_many:
            tensor_list = [tf.expand_dims(tensor, 0) for tensor in tensor_list]
            labels = tf.expand_dims(labels, 0)
        if init_probs is None:
            target_probs.get_shape().assert_is_fully_defined()
            init_probs = _estimate_data_distribution(labels, target_probs.get_shape().num_elements())
        else:
            init_probs = tf.convert_to_tensor(init_probs, dtype=tf.float32)
        tensor_list, labels, [init_probs, target_probs] = _verify_input(tensor_list, labels, [init_probs, target_probs])
        possible = tf.reduce_all(tf.logical_or(tf.not_equal(init_probs, 0), tf.equal(target_probs, 0)))
        text = "target_probs: a class has a positive target, but init_probs gives it probability 0: "
        init_probs = with_dependencies([tf.Assert(possible, [text, init_probs, target_probs])], init_probs)
        accept_probs = _calculate_acceptance_probabilities(init_probs, target_probs)
        rejected = tf.reduce_sum((1 - accept_probs) * init_probs)
        accept_probs = tf.cond(
            tf.less(rejected, 0.5),
            lambda: accept_probs,
            lambda: tf.Print(
                accept_probs,
                [accept_probs],
                message="Half of the examples or more are dropped: init_probs and target_probs differ too much. ",
                first_n=10,
            ),
        )
        *example, label = _one_by_one([*tensor_list, labels], threads_per_queue, queue_capacity)
        *batch, batch_labels = _batch_kept(
            [*example, label], tf.gather(accept_probs, label), batch_size, threads_per_queue
        )
        return batch, batch_labels


def _first_dimension(tensor: Any) -> Any:
    return tf.TensorShape(tensor.get_shape().with_rank_at_least(1)[:1])


def _one_by_one(tensor_list: list[Any], threads: int, capacity: int) -> list[Any]:
    """Returns the tensors of single examples, without a batch axis, from those of batches, by a queue."""
    batched = tf.train.batch(tensor_list, batch_size=1, num_threads=threads, capacity=capacity, enqueue_many=True)
    return [tf.squeeze(each, [0]) for each in (batched if isinstance(batched, list) else [batched])]


def _batch_kept(tensor_list: list[Any], probability: Any, batch_size: int, threads: int) -> list[Any]:
    batch = tf.train.maybe_batch(
        tensor_list, keep_input=tf.random_uniform([]) < probability, batch_size=batch_size, num_threads=threads
    )
    return batch if isinstance(batch, list) else [batch]


def _estimate_data_distribution(labels: Any, num_classes: int, smoothing_constant: int = 10) -> Any:
    """Returns the `[num_classes]` float32 frequencies of the classes so far.

    Args:
        labels: `[batch]` classes.
        num_classes: Number of classes.
        smoothing_constant: Value at which each count starts.
    """
    if smoothing_constant <= 0:
        raise ValueError("smoothing_constant must be nonzero.")
    counts = tf.Variable([smoothing_constant] * num_classes, trainable=False, name="class_count", dtype=tf.int64)
    counts = counts.assign_add(tf.reduce_sum(tf.one_hot(labels, num_classes, dtype=tf.int64), 0))
    # Copies the value: a reference would change while other threads add counts between two reads.
    counts += 0
    return tf.cast(tf.truediv(counts, tf.reduce_sum(counts)), tf.float32)


def _verify_input(tensor_list: list[Any], labels: Any, probs_list: list[Any]) -> tuple[list[Any], Any, list[Any]]:
    """Returns the tensors with checks: of static shapes now, of values at run time."""
    tolerance = 1e-6  # for the rounding of sums of float32 frequencies
    checked = []
    for probs in probs_list:
        probs.get_shape().assert_is_fully_defined()
        probs.get_shape().assert_has_rank(1)
        total = tf.reduce_sum(probs)
        checks = [
            tf.assert_non_negative(probs),
            tf.assert_less(total, 1.0 + tolerance),
            tf.assert_less(1.0 - tolerance, total),
        ]
        checked.append(with_dependencies(checks, probs))
    classes = checked[0].get_shape().num_elements()
    if any(probs.get_shape().num_elements() != classes for probs in checked):
        raise ValueError("probabilities: they have different numbers of classes. Give one for each class.")
    labels.get_shape().assert_has_rank(1)
    for tensor in tensor_list:
        _first_dimension(tensor).assert_is_compatible_with(_first_dimension(labels))
    size = tf.shape(labels)[0]
    not_empty = tf.assert_positive(size)
    labels = with_dependencies([not_empty], labels)
    tensor_list = [
        with_dependencies([not_empty, tf.assert_equal(tf.shape(tensor)[0], size)], tensor) for tensor in tensor_list
    ]
    checks = [
        tf.assert_integer(labels),
        tf.assert_non_negative(labels),
        tf.assert_less(labels, tf.cast(classes, labels.dtype)),
    ]
    return tensor_list, with_dependencies(checks, labels), checked


def _calculate_acceptance_probabilities(init_probs: Any, target_probs: Any) -> Any:
    """Returns the probabilities, `[num_classes]`, of keeping an example of each class.

    They are proportional to the ratio of target and frequency in the data; the class with the highest ratio is always
    kept.
    """
    ratio = target_probs / init_probs
    ratio = tf.where(tf.is_nan(ratio), tf.zeros_like(ratio), ratio)
    return ratio / tf.reduce_max(ratio)
