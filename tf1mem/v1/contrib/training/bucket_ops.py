# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Queues that batch similar examples, such as sequences of similar length."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from tensorflow.python.framework.smart_cond import smart_cond
from tensorflow.python.training import input as _input

import tf1mem.v1 as tf


def bucket(
    tensors: Any,
    which_bucket: Any,
    batch_size: Any,
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Any = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Batches examples of the same bucket.

    Args:
        tensors: List or dict of the tensors (of any shape) of an example.
        which_bucket: Bucket of the example: int32 of shape `[]`, from 0.
        batch_size: Number of examples in a batch, or a list of such numbers, one for each bucket.
        num_buckets: Number of buckets.
        num_threads: Number of threads that fill the buckets.
        capacity: Number of batches that the queue of batches holds, and of examples that each bucket holds.
        bucket_capacities: List of the numbers of examples that the buckets hold; `capacity` by default.
        shapes: Shapes of the tensors; their static shapes by default.
        dynamic_pad: True to pad unknown dimensions to the largest of a batch.
        allow_smaller_final_batch: True to return the remaining examples as a smaller batch at the end.
        keep_input: False to skip the example; a bool or a bool tensor of shape `[]`.
        shared_name: Name under which Sessions share the queues; None for none.
        name: Name scope; "bucket" by default.

    Returns:
        The bucket, an int32 of shape `[]`, and the batch, a list or dict like `tensors` with a leading batch axis.

    Raises:
        ValueError: A list's length isn't `num_buckets`, `tensors` is empty, or a shape is unknown.
    """
    sizes = list(batch_size) if isinstance(batch_size, (list, tuple)) else [batch_size] * num_buckets
    if len(sizes) != num_buckets:
        raise ValueError(f"batch_size: {len(sizes)} sizes for {num_buckets} buckets. Give num_buckets of them.")
    if bucket_capacities is None:
        bucket_capacities = [capacity] * num_buckets
    if len(bucket_capacities) != num_buckets:
        raise ValueError(
            f"The list bucket_capacities ({bucket_capacities}) must have exactly num_buckets ({num_buckets}) elements."
        )
    tensor_list = _input._as_tensor_list(tensors)
    if not tensor_list:
        raise ValueError("tensors: this is empty. Give bucket() one or more.")
    with tf.name_scope(name, "bucket", tensor_list):
        keep_input = _input._validate_keep_input(keep_input, enqueue_many=False)
        tensor_list, sparse_info = _input._store_sparse_tensors(
            _input._validate(tensor_list), enqueue_many=False, keep_input=keep_input
        )
        for index, size in enumerate(sizes):
            size_tensor = tf.convert_to_tensor(size, dtype=tf.int32, name="batch_size")
            static = tf.get_static_value(size_tensor)
            sizes[index] = size_tensor if static is None else static
        types = _input._dtypes([tensor_list])
        shapes = _input._shapes([tensor_list], shapes, enqueue_many=False)
        which_bucket = tf.convert_to_tensor(which_bucket, dtype=tf.int32, name="which_bucket")
        buckets = [
            _input._which_queue(dynamic_pad)(
                capacity=bucket_capacity,
                dtypes=types,
                shapes=shapes,
                shared_name=None if shared_name is None else f"{shared_name}_{index}",
                name=f"bucket_queue_{index}",
            )
            for index, bucket_capacity in enumerate(bucket_capacities)
        ]
        has_variable_size = (
            allow_smaller_final_batch or isinstance(batch_size, (list, tuple)) or tf.is_tensor(sizes[-1])
        )
        first_dimension = tf.TensorShape([None if has_variable_size else sizes[-1]])
        # A PaddingFIFOQueue accepts shapes whose first dimension is unknown.
        batches = tf.PaddingFIFOQueue(
            capacity=capacity,
            dtypes=[tf.int32, *types],
            shapes=[tf.TensorShape([])] + [first_dimension.concatenate(shape) for shape in buckets[0].shapes],
            shared_name=shared_name,
            name="top_queue",
        )

        def enqueue() -> Any:
            """Returns an op that puts the tensors of the example, of any shape, into the example's bucket."""
            enqueues = [
                tf.cond(tf.equal(which_bucket, index), partial(queue.enqueue, tensor_list), tf.no_op)
                for index, queue in enumerate(buckets)
            ]
            return tf.group(*enqueues, name="group_enqueues")

        filling = [smart_cond(keep_input, enqueue, tf.no_op)] * num_threads
        batching = []
        for index, (queue, size) in enumerate(zip(buckets, sizes)):
            dequeue = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
            read = dequeue(size, name=f"read_bucket_{index}")
            batch = read if isinstance(read, (list, tuple)) else [read]
            batching.append(batches.enqueue([tf.constant(index), *batch], name=f"enqueue_from_bucket_{index}"))
        _add_queue_runner(buckets[0], batching, [batches])
        _add_queue_runner(batches, filling, buckets)

        for queue in buckets:  # As in TensorFlow 1, each summary has the size of the queue of batches.
            tf.summary.scalar(f"bucket/{queue.name}/size", tf.cast(batches.size(), tf.float32))
        tf.summary.scalar(
            f"bucket/{batches.name}/fraction_of_{capacity}_full", tf.cast(batches.size(), tf.float32) * (1.0 / capacity)
        )
        bucket_of_batch, *dequeued = batches.dequeue(name="dequeue_top")
        restored = _input._restore_sparse_tensors(dequeued[0] if len(dequeued) == 1 else dequeued, sparse_info)
        return bucket_of_batch, _input._as_original_type(tensors, restored)


def _add_queue_runner(queue: Any, enqueue_ops: list[Any], closed_after: list[Any]) -> None:
    """Adds a QueueRunner.

    Args:
        queue: Gives the runner its name; as in TensorFlow 1, it isn't the queue that is filled.
        enqueue_ops: Ops that fill the queues of `closed_after`, one for each thread.
        closed_after: Queues that are closed when the runner ends.
    """

    def close(**kwargs: Any) -> Any:
        """Returns an op that closes the queues of `closed_after`; takes the arguments of a queue's `close`."""
        ops = [each.close(**kwargs) for each in closed_after]
        return ops[0] if len(ops) == 1 else tf.group(*ops)

    tf.train.add_queue_runner(
        tf.train.QueueRunner(
            queue,
            enqueue_ops,
            close_op=close(),
            cancel_op=close(cancel_pending_enqueues=True),
            queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError),
        )
    )


def bucket_by_sequence_length(
    input_length: Any,
    tensors: Any,
    batch_size: Any,
    bucket_boundaries: Any,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Any = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Batches sequences of similar length.

    Args:
        input_length: Length of the example, int32 of shape `[]`.
        tensors: List or dict of the example's tensors (of any shape).
        batch_size: Number of examples in a batch, or a list of such numbers, one for each bucket.
        bucket_boundaries: Increasing ints: the least length in each bucket but the first.
        num_threads: Argument of `bucket`.
        capacity: Argument of `bucket`.
        bucket_capacities: Argument of `bucket`.
        shapes: Argument of `bucket`.
        dynamic_pad: Argument of `bucket`.
        allow_smaller_final_batch: Argument of `bucket`.
        keep_input: Argument of `bucket`.
        shared_name: Argument of `bucket`.
        name: Name scope.

    Returns:
        The `[batch]` int32 lengths, and the batch, a list or dict like `tensors`.

    Raises:
        TypeError: The boundaries aren't in a list or tuple, or aren't ints.
        ValueError: There are no boundaries, or they don't increase; or an error of `bucket`.
    """
    tensor_list = _input._as_tensor_list(tensors)
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {bucket_boundaries}")
    if not bucket_boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for lower, upper in zip(bucket_boundaries[:-1], bucket_boundaries[1:]):
        if not isinstance(lower, int) or not isinstance(upper, int):
            raise TypeError(f"bucket boundaries must be integers, but saw: {lower} and {upper}")
        if lower >= upper:
            raise ValueError(f"Buckets must contain sequential increasing lengths, but saw: {lower} before {upper}")
    with tf.name_scope(name, "bucket_by_sequence_length", [input_length, *tensor_list]):
        input_length = tf.convert_to_tensor(input_length, dtype=tf.int32, name="input_length")
        limits = np.iinfo(np.int32)
        in_bucket = tf.logical_and(
            tf.less_equal([limits.min, *bucket_boundaries], input_length),
            tf.less(input_length, [*bucket_boundaries, limits.max]),
        )
        _, (lengths, *dequeued) = bucket(
            tensors=[input_length, *tensor_list],
            which_bucket=tf.cast(tf.reduce_min(tf.where(in_bucket)), tf.int32),
            batch_size=batch_size,
            num_buckets=len(bucket_boundaries) + 1,
            num_threads=num_threads,
            capacity=capacity,
            bucket_capacities=bucket_capacities,
            shapes=None if shapes is None else [tf.TensorShape([]), *shapes],
            dynamic_pad=dynamic_pad,
            allow_smaller_final_batch=allow_smaller_final_batch,
            keep_input=keep_input,
            shared_name=shared_name,
        )
        return lengths, _input._as_original_type(tensors, dequeued)
