# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Arrays as input of estimators."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Any:
    """`tf.estimator.inputs.numpy_input_fn`, which shuffles by default.

    Args:
        x: Name -> the feature's array.
        y: The labels.
        batch_size: Rows of a batch.
        num_epochs: How often all rows are taken; None for ever.
        shuffle: Whether in random order.
        queue_capacity: Rows that are read ahead.
        num_threads: Threads that read.
    """
    return tf.estimator.inputs.numpy_input_fn(
        x=x,
        y=y,
        batch_size=batch_size,
        shuffle=shuffle,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        num_threads=num_threads,
    )
