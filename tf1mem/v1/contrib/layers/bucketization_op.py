# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Bucketizes numbers (tf.contrib.layers)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops import math_ops


def bucketize(input_tensor: Any, boundaries: list[float], name: str | None = None) -> Any:
    """Returns the int32 bucket of each number: the count of boundaries at or below the number.

    Args:
        input_tensor: Number tensor of any shape.
        boundaries: Sorted list of floats.
        name: Name of the op.

    Returns:
        int32 tensor of the shape of `input_tensor`.

    Raises:
        TypeError: The boundaries aren't a list.
    """
    return math_ops._bucketize(input_tensor, boundaries=boundaries, name=name)
