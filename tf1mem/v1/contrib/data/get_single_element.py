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
