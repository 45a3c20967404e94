# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Data sets read side by side."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf


def sloppy_interleave(map_func: Any, cycle_length: int, block_length: int = 1) -> Callable[[Any], Any]:
    """`parallel_interleave(…, sloppy=True)`, for `Dataset.apply`."""
    interleave: Callable[[Any], Any] = tf.data.experimental.parallel_interleave(
        map_func, cycle_length, block_length, sloppy=True
    )
    return interleave
