# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Sliding windows over a data set."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf


def sliding_window_batch(
    window_size: Any, stride: Any = None, window_shift: Any = None, window_stride: Any = 1
) -> Callable[[Any], Any]:
    """Returns a transformation for `Dataset.apply` to full sliding windows, whose components are `[window_size, ...]`.

    Args:
        window_size: Number of elements per window.
        stride: Former name of `window_shift`.
        window_shift: Number of elements from the start of a window to the start of the next; 1 by default.
        window_stride: Number of elements from one element of a window to the next; 1 by default.

    Raises:
        ValueError: Both `stride` and `window_shift` are set.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("stride and window_shift: they mean the same. Give one of them.")
    shift = window_shift if window_shift is not None else 1 if stride is None else stride

    def joined(*windows: Any) -> Any:
        """Returns a data set with a single element: the window's elements, stacked to `[window_size, ...]`."""
        structure = windows[0] if len(windows) == 1 else windows
        return tf.data.Dataset.zip(tf.nest.map_structure(lambda window: window.batch(window_size), structure))

    return lambda dataset: dataset.window(window_size, shift=shift, stride=window_stride, drop_remainder=True).flat_map(
        joined
    )
