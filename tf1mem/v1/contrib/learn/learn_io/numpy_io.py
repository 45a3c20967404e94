# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Input of estimators from NumPy arrays."""

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
    """Returns an input function made by `tf.estimator.inputs.numpy_input_fn`; here rows are shuffled by default.

    Args:
        x: Dict of feature name -> `[num_rows, ...]` array.
        y: `[num_rows, ...]` array of labels.
        batch_size: Number of rows per batch.
        num_epochs: Number of passes over all rows; None repeats without end.
        shuffle: True for random order.
        queue_capacity: Number of rows that the queue holds.
        num_threads: Number of threads that fill the queue.
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
