# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Data frames as arrays."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import tf1mem.v1 as tf

_NUMBERS = "biuf"  # NumPy's kinds: bool, int, unsigned, float


def _pandas() -> Any:
    """pandas, where the program has it: nobody has a data frame who hasn't."""
    return import_module("pandas") if find_spec("pandas") is not None else None


HAS_PANDAS = _pandas() is not None


def is_frame(data: Any) -> bool:
    """Whether data is a pandas.DataFrame or Series."""
    pandas = _pandas()
    return pandas is not None and isinstance(data, (pandas.DataFrame, pandas.Series))


def _is_table(data: Any) -> bool:
    return is_frame(data) and data.ndim == 2


def _check(frame: Any, what: str) -> None:
    wrong = [
        f"'{name}' type='{column.dtype.name}'" for name, column in frame.items() if column.dtype.kind not in _NUMBERS
    ]
    if wrong:
        raise ValueError(f"Data types for extracting {what} must be int, float, or bool. Found: {', '.join(wrong)}")


def extract_pandas_data(data: Any) -> Any:
    """A data frame's values as floats; anything else as it is.

    Raises:
        ValueError: A column holds neither numbers nor bools.
    """
    if not _is_table(data):
        return data
    _check(data, "pandas data")
    return data.values.astype("float")


def extract_pandas_matrix(data: Any) -> Any:
    """A data frame's values; anything else as it is."""
    return data.values if _is_table(data) else data


def extract_pandas_labels(labels: Any) -> Any:
    """The values of a data frame of one column; anything else as it is.

    Raises:
        ValueError: There are several columns, or one that holds neither numbers nor bools.
    """
    if not _is_table(labels):
        return labels
    if len(labels.columns) > 1:
        raise ValueError(f"labels: there are {len(labels.columns)} columns. Give one.")
    _check(labels, "labels")
    return labels.values


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Any:
    """`tf.estimator.inputs.pandas_input_fn`, which shuffles by default.

    Args:
        x: The features.
        y: The labels.
        batch_size: Rows of a batch.
        num_epochs: How often all rows are taken; None for ever.
        shuffle: Whether in random order.
        queue_capacity: Rows that are read ahead.
        num_threads: Threads that read.
        target_column: The labels' name among the features.
    """
    return tf.estimator.inputs.pandas_input_fn(
        x=x,
        y=y,
        batch_size=batch_size,
        shuffle=shuffle,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        num_threads=num_threads,
        target_column=target_column,
    )
