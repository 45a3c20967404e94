# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A data set as one value."""

from __future__ import annotations

from typing import Any

import numpy as np

import tf1mem.v1 as tf


def reduce_dataset(dataset: Any, reducer: Any) -> Any:
    """What a reducer makes of a data set's elements.

    Args:
        dataset: The data set.
        reducer: A Reducer.

    Raises:
        TypeError: `dataset` is none.
    """
    if not isinstance(dataset, tf.data.Dataset):
        raise TypeError("dataset: it is no tf.data.Dataset. Give one.")
    return dataset.reduce(reducer.init_func(np.int64(0)), reducer.reduce_func)
