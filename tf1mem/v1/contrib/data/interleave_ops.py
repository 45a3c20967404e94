# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Interleaving of data sets."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf


def sloppy_interleave(map_func: Any, cycle_length: int, block_length: int = 1) -> Callable[[Any], Any]:
    """Returns `parallel_interleave(…, sloppy=True)` for `Dataset.apply`; the elements keep their shapes.

    Args:
        map_func: Function of an element that returns a data set.
        cycle_length: Number of data sets to read in parallel.
        block_length: Number of successive elements to take from one data set before the next.
    """
    interleave: Callable[[Any], Any] = tf.data.experimental.parallel_interleave(
        map_func, cycle_length, block_length, sloppy=True
    )
    return interleave
