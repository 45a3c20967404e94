# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Reduction of a data set to a single value."""

from __future__ import annotations

from typing import Any

import numpy as np

import tf1mem.v1 as tf


def reduce_dataset(dataset: Any, reducer: Any) -> Any:
    """Returns the state of a reducer after all elements of a data set; `init_func` gets the key 0.

    Args:
        dataset: A tf.data.Dataset.
        reducer: A tf.data.experimental.Reducer; its `finalize_func` isn't called.

    Returns:
        A structure of tensors with the shapes of the initial state.

    Raises:
        TypeError: `dataset` isn't a tf.data.Dataset.
    """
    if not isinstance(dataset, tf.data.Dataset):
        raise TypeError("dataset: it is no tf.data.Dataset. Give one.")
    return dataset.reduce(reducer.init_func(np.int64(0)), reducer.reduce_func)
