# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Numbers as the numbers of buckets, by tf.contrib.layers."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops import math_ops


def bucketize(input_tensor: Any, boundaries: list[float], name: str | None = None) -> Any:
    """How many of the boundaries each number reaches, as int32.

    Args:
        input_tensor: The numbers.
        boundaries: Sorted.
        name: The op's.

    Raises:
        TypeError: The boundaries are no list.
    """
    return math_ops._bucketize(input_tensor, boundaries=boundaries, name=name)
