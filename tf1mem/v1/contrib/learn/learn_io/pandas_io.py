# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Conversion of pandas data frames to arrays."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import tf1mem.v1 as tf

_NUMBERS = "biuf"  # NumPy's kinds of dtypes: bool, int, unsigned, float


def _pandas() -> Any:
    """Returns the pandas module, or None if it isn't installed."""
    return import_module("pandas") if find_spec("pandas") is not None else None


HAS_PANDAS = _pandas() is not None


def is_frame(data: Any) -> bool:
    """Returns True for a pandas.DataFrame, `[num_rows, num_columns]`, or pandas.Series, `[num_rows]`.

    Args:
        data: Any object.
    """
    pandas = _pandas()
    return pandas is not None and isinstance(data, (pandas.DataFrame, pandas.Series))


def _is_table(data: Any) -> bool:
    return is_frame(data) and data.ndim == 2


def _check(frame: Any, data: str) -> None:
    """Raises a ValueError if a column holds neither numbers nor booleans."""
    wrong = [
        f"'{name}' type='{column.dtype.name}'" for name, column in frame.items() if column.dtype.kind not in _NUMBERS
    ]
    if wrong:
        raise ValueError(f"Data types for extracting {data} must be int, float, or bool. Found: {', '.join(wrong)}")


def extract_pandas_data(data: Any) -> Any:
    """Returns a data frame's values as a `[num_rows, num_columns]` float array; other data unchanged.

    Args:
        data: DataFrame, or any other object.

    Raises:
        ValueError: A column holds neither numbers nor booleans.
    """
    if not _is_table(data):
        return data
    _check(data, "pandas data")
    return data.values.astype("float")


def extract_pandas_matrix(data: Any) -> Any:
    """Returns a data frame's values, of any dtype, as a `[num_rows, num_columns]` array; other data unchanged.

    Args:
        data: DataFrame, or any other object.
    """
    return data.values if _is_table(data) else data


def extract_pandas_labels(labels: Any) -> Any:
    """Returns the values of a data frame with one column as a `[num_rows, 1]` array; other labels unchanged.

    Args:
        labels: DataFrame, or any other object.

    Raises:
        ValueError: There are several columns, or the column holds neither numbers nor booleans.
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
    """Returns an input function made by `tf.estimator.inputs.pandas_input_fn`; here rows are shuffled by default.

    Args:
        x: DataFrame of the features.
        y: Series of the labels, `[num_rows]`; None for no labels.
        batch_size: Number of rows per batch.
        num_epochs: Number of passes over all rows; None repeats without end.
        shuffle: True for random order.
        queue_capacity: Number of rows that the queue holds.
        num_threads: Number of threads that fill the queue.
        target_column: Name that the labels get in the data frame.

    Returns:
        Function that returns a dict of column's name -> `[batch]` tensor and, with `y`, the `[batch]` labels.
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
