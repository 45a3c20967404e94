# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Queues that are filled in advance."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes a queue of tensors and the queue runner that fills it.

    Args:
        tensors: List or dict of tensors of any shape; together they are an entry of the queue.
        capacity: Number of entries that the queue holds; 8 by default.
        num_threads: Number of threads that fill the queue; 1 by default.
        dynamic_pad: True if a dimension may differ between entries; `dequeue_many` then pads them.
        shared_name: Name under which Sessions share the queue; None for none.
        name: Name scope; "prefetch_queue" by default.

    Returns:
        The queue; `dequeue` returns a list or dict like `tensors`.
    """
    names = sorted(tensors) if isinstance(tensors, dict) else None
    tensor_list = tensors if names is None else [tensors[each] for each in names]
    with tf.name_scope(name, "prefetch_queue", tensor_list):
        make_queue = tf.PaddingFIFOQueue if dynamic_pad else tf.FIFOQueue
        queue = make_queue(
            capacity=capacity,
            dtypes=[tensor.dtype for tensor in tensor_list],
            shapes=[tensor.get_shape() for tensor in tensor_list],
            names=names,
            shared_name=shared_name,
        )
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tensors)] * num_threads))
        fraction = tf.cast(queue.size(), tf.float32) * (1.0 / capacity)
        tf.summary.scalar(f"fraction_of_{capacity}_full", fraction)
        return queue
