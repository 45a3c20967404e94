# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Feeders of batches from arrays and iterators."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Iterable, Iterator

import numpy as np

import tf1mem.v1 as tf
from tf1mem.v1.contrib.learn.learn_io import pandas_io


def _is_iterator(x: Any) -> bool:
    return hasattr(x, "next") or hasattr(x, "__next__")


def _map_values(value: Any, function: Callable[[Any], Any]) -> Any:
    """Applies a function to a value, or to each value of a dict; returns None for None."""
    if isinstance(value, dict):
        return {key: function(each) for key, each in value.items()}
    return None if value is None else function(value)


def _classes(n_classes: Any, key: Any) -> Any:
    """Returns the number of classes of the label `key`, or of the only label if `key` is None."""
    return n_classes if key is None or n_classes is None else n_classes.get(key)


def _shapes(x: Any, y: Any, n_classes: Any, batch_size: int | None) -> tuple[Any, Any, int]:
    """Returns a batch's shapes of inputs and labels, and its size, from the shapes of all rows."""
    if isinstance(y, dict) and n_classes is not None:
        assert isinstance(n_classes, dict)
    if batch_size is None:
        batch_size = int((next(iter(x.values())) if isinstance(x, dict) else x)[0])
    elif batch_size <= 0:
        raise ValueError(f"Invalid batch_size {batch_size}.")
    size = batch_size

    def of_label(shape: Any, classes: int | None) -> list[int]:
        """Returns `[batch, ...]` for labels of any shape; with classes, `[batch, ..., classes]`."""
        label_shape = list(shape[1:])
        if label_shape and label_shape[0] == 1:
            label_shape = label_shape[1:]
        return [size, *label_shape, *([classes] if classes is not None and classes > 1 else [])]

    inputs = _map_values(x, lambda shape: [size, *(shape[1:] if len(shape) > 1 else [1])])
    if isinstance(y, dict):
        return inputs, {key: of_label(shape, _classes(n_classes, key)) for key, shape in y.items()}, size
    return inputs, None if y is None else of_label(y, n_classes), size


def setup_train_data_feeder(
    x: Any,
    y: Any,
    n_classes: Any,
    batch_size: int | None = None,
    shuffle: bool = True,
    epochs: int | None = None,
) -> DataFeeder:
    """Returns a feeder of batches for training.

    Args:
        x: `[num_rows, ...]` array or data frame, a dict of arrays, or an iterator over rows.
        y: Labels in the same form, or None.
        n_classes: Number of classes, or a dict of them, to encode labels as one-hot; None leaves labels unchanged.
        batch_size: Number of rows per batch; by default all rows of an array, and 1 of an iterator.
        shuffle: True for random order; an iterator keeps its order.
        epochs: Number of passes over an array's rows; None repeats without end.

    Raises:
        ValueError: `x` is an iterator and `y` isn't.
    """
    x, y = pandas_io.extract_pandas_data(x), pandas_io.extract_pandas_labels(y)
    if not _is_iterator(x):
        return DataFeeder(x, y, n_classes, batch_size, shuffle=shuffle, epochs=epochs)
    if y is not None and not _is_iterator(y):
        raise ValueError("y: x is an iterator, but y isn't. Give an iterator for each.")
    return StreamingDataFeeder(x, y, n_classes, batch_size)


def setup_predict_data_feeder(x: Any, batch_size: int | None = None) -> Iterable[Any]:
    """Returns batches of rows for prediction.

    Args:
        x: `[num_rows, ...]` array or data frame, or an iterator over rows.
        batch_size: Number of rows per batch; all rows by default.

    Returns:
        List of, or iterator over, `[batch, ...]` arrays.

    Raises:
        ValueError: `batch_size` isn't positive.
    """
    x = pandas_io.extract_pandas_data(x)
    if batch_size is not None and batch_size <= 0:
        raise ValueError(f"Invalid batch_size {batch_size}.")
    if _is_iterator(x):
        return _batches(x, batch_size)
    if len(x.shape) == 1:
        x = np.reshape(x, (-1, 1))
    if batch_size is None:
        return [x]
    return [x[start : start + batch_size] for start in range(0, len(x), batch_size)]


def _batches(rows: Iterator[Any], batch_size: int | None) -> Iterator[Any]:
    def joined(chunk: list[Any]) -> Any:
        """Returns rows as a matrix `[batch, columns]`, or rows that are dicts as a dict of such matrices."""
        first = chunk[0] if chunk else None
        if isinstance(first, dict):
            return {key: np.asmatrix([row[key] for row in chunk]) for key in first}
        return np.asmatrix(chunk)

    while True:
        chunk = list(itertools.islice(rows, batch_size))
        # If the number of rows is a multiple of batch_size, the last batch is empty, as in TensorFlow 1.
        yield joined(chunk)
        if batch_size is None or len(chunk) < batch_size:
            return


def setup_processor_data_feeder(x: Any) -> Any:
    """Returns rows to iterate over: a data frame's values as a `[num_rows, num_columns]` array; other data unchanged.

    Args:
        x: DataFrame, array, or iterable of rows.
    """
    return pandas_io.extract_pandas_matrix(x)


def check_array(array: Any, dtype: Any) -> Any:
    """Returns a list or array as an array of a dtype, with the same shape; other objects unchanged.

    Args:
        array: List, array, or any other object.
        dtype: NumPy dtype.
    """
    return np.asarray(array, dtype=dtype) if isinstance(array, (np.ndarray, list)) else array


def _rows_at(data: Any, index: Any) -> Any:
    return data.iloc[index] if pandas_io.is_frame(data) else data[index]


def _write_label(row: Any, label: Any, classes: int | None) -> None:
    """Writes a label into its row of zeros, one-hot if it has classes."""
    if classes is None or classes <= 1:
        row[...] = label
    elif row.ndim == 1:
        row[int(label)] = 1.0
    else:
        row[np.arange(len(label)), np.asarray(label, dtype=np.int64)] = 1.0


class DataFeeder:
    """Feeds batches of arrays to placeholders.

    Args:
        x: `[num_rows, ...]` array, or a dict of such arrays.
        y: Labels in the same form, or None.
        n_classes: Number of classes, or a dict of them, to encode labels as one-hot; None leaves labels unchanged.
        batch_size: Number of rows per batch; all rows by default.
        shuffle: True for random order.
        random_state: numpy.random.RandomState for the order; by default with seed 42.
        epochs: Number of passes over all rows; None repeats without end.
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        n_classes: Any,
        batch_size: int | None = None,
        shuffle: bool = True,
        random_state: Any = None,
        epochs: int | None = None,
    ) -> None:
        if isinstance(y, list):
            y = np.array(y)
        if n_classes is not None and not isinstance(y, dict):
            y = None if y is None else check_array(y, np.int64 if n_classes > 1 else np.float32)
        self._x = _map_values(x, lambda each: check_array(each, each.dtype))
        self._y = _map_values(y, lambda each: check_array(each, each.dtype))
        self.n_classes = n_classes
        self.max_epochs = epochs
        shapes = (_map_values(self._x, lambda each: each.shape), _map_values(self._y, lambda each: each.shape))
        self.input_shape, self.output_shape, self._batch_size = _shapes(*shapes, n_classes, batch_size)
        self._input_dtype = _map_values(self._x, lambda each: each.dtype)
        types: Any = _map_values(self._y, lambda each: each.dtype)
        self._output_dtype = np.float32 if y is None else types
        if isinstance(y, dict) and n_classes is not None:
            types.update((key, np.float32) for key in n_classes if key in types)
        self._shuffle = shuffle
        self.random_state = np.random.RandomState(42) if random_state is None else random_state
        self._count = int((next(iter(self._x.values())) if isinstance(self._x, dict) else self._x).shape[0])
        self.offset = 0
        self.epoch = 0
        self._epoch_placeholder: Any = None
        self._reorder()

    def _reorder(self) -> None:
        self.indices = self.random_state.permutation(self._count) if self._shuffle else np.arange(self._count)

    @property
    def x(self) -> Any:
        """Returns the inputs, a `[num_rows, ...]` array or a dict of arrays."""
        return self._x

    @property
    def y(self) -> Any:
        """Returns the labels, a `[num_rows, ...]` array or a dict of arrays, or None."""
        return self._y

    @property
    def shuffle(self) -> bool:
        """Returns True if the rows of `[num_rows, ...]` arrays come in random order."""
        return self._shuffle

    @property
    def input_dtype(self) -> Any:
        """Returns the dtype of the inputs, `[batch, ...]`, or a dict of dtypes."""
        return self._input_dtype

    @property
    def output_dtype(self) -> Any:
        """Returns the dtype of the labels, `[batch, ...]`, or a dict of dtypes."""
        return self._output_dtype

    @property
    def batch_size(self) -> int:
        """Returns the number of rows per batch, the first axis of `[batch, ...]`."""
        return self._batch_size

    def make_epoch_variable(self) -> Any:
        """Returns an int32 placeholder of shape `[1]` that is fed the epoch's number."""
        self._epoch_placeholder = tf.placeholder(tf.int32, [1], name="epoch")
        return self._epoch_placeholder

    def input_builder(self) -> tuple[Any, Any]:
        """Returns placeholders of inputs and labels, `[batch, ...]` with any batch size."""

        def placeholders(shape: Any, dtype: Any, name: str) -> Any:
            """Returns a `[None, ...]` placeholder, or a dict of them for a dict of shapes."""
            if isinstance(shape, dict):
                return {key: placeholders(shape[key], dtype[key], f"{name}_{key}") for key in shape}
            return None if shape is None else tf.placeholder(tf.as_dtype(dtype), [None, *shape[1:]], name=name)

        self.set_placeholders(
            placeholders(self.input_shape, self._input_dtype, "input"),
            placeholders(self.output_shape, self._output_dtype, "output"),
        )
        return self._input_placeholder, self._output_placeholder

    def set_placeholders(self, input_placeholder: Any, output_placeholder: Any) -> None:
        """Sets the placeholders to feed.

        Args:
            input_placeholder: `[batch, ...]` placeholder of the inputs, or a dict of placeholders.
            output_placeholder: `[batch, ...]` placeholder of the labels, or None.
        """
        self._input_placeholder = input_placeholder
        self._output_placeholder = output_placeholder

    def get_feed_params(self) -> dict[str, int]:
        """Returns the feeder's position: epoch, index of the next row, and rows per `[batch, ...]`."""
        return {"epoch": self.epoch, "offset": self.offset, "batch_size": self._batch_size}

    def get_feed_dict_fn(self) -> Callable[[], dict[str, Any]]:
        """Returns a function that returns the feed dict of the next step: placeholder's name -> `[batch, ...]` array.

        The function raises StopIteration after the last epoch.
        """
        return self._next

    def _next(self) -> dict[str, Any]:
        if self.max_epochs is not None and self.epoch >= self.max_epochs:
            raise StopIteration
        assert self._input_placeholder is not None
        feed: dict[str, Any] = {}
        if self._epoch_placeholder is not None:
            feed[self._epoch_placeholder.name] = [self.epoch]
        row_indices = self.indices[self.offset : self.offset + self._batch_size]

        def rows(data: Any) -> Any:
            """Returns the step's rows of an array, `[batch, ...]`; numbers become `[batch, 1]`."""
            values = _rows_at(data, row_indices)
            return np.array(values).reshape((len(row_indices), 1)) if len(data.shape) == 1 else values

        feed.update(_named(self._input_placeholder, _map_values(self._x, rows)))
        self.offset += self._batch_size
        if self.offset >= self._count:
            self._reorder()
            self.offset = 0
            self.epoch += 1
        if self._output_placeholder is None:
            return feed

        def labels(data: Any, shape: list[int], dtype: Any, classes: Any) -> Any:
            """Returns the step's labels, `[batch, ...]`; one-hot, `[batch, ..., classes]`, if there are classes."""
            encoded = np.zeros([len(row_indices), *shape[1:]], dtype=dtype)
            for row, index in enumerate(row_indices):
                _write_label(encoded[row, ...], _rows_at(data, index), classes)
            return encoded

        if isinstance(self._y, dict):
            label_values = {
                key: labels(data, self.output_shape[key], self._output_dtype[key], _classes(self.n_classes, key))
                for key, data in self._y.items()
            }
        else:
            label_values = labels(self._y, self.output_shape, self._output_dtype, self.n_classes)
        feed.update(_named(self._output_placeholder, label_values))
        return feed


def _named(placeholder: Any, value: Any) -> dict[str, Any]:
    """Returns a feed dict of placeholder name -> value."""
    if isinstance(placeholder, dict):
        return {placeholder[key].name: each for key, each in value.items()}
    return {placeholder.name: value}


class StreamingDataFeeder(DataFeeder):
    """Feeds batches of rows from iterators, in their order.

    Args:
        x: Iterator over arrays of the same shape, one per row, or over dicts of arrays.
        y: Iterator over the rows' labels, or None.
        n_classes: Number of classes, or a dict of them, to encode labels as one-hot; None leaves labels unchanged.
        batch_size: Number of rows per batch; 1 by default.
    """

    def __init__(self, x: Iterator[Any], y: Iterator[Any] | None, n_classes: Any, batch_size: int | None) -> None:
        first = next(x)
        self._x = itertools.chain([first], x)
        self._y = None
        label = None
        if y is not None:
            label = next(y)
            self._y = itertools.chain([label], y)
        self.n_classes = n_classes
        shape = _map_values(first, lambda each: [1, *each.shape])
        label_shape = _map_values(label, lambda each: [1, *(each[0] if isinstance(each, list) else each).shape])
        self.input_shape, self.output_shape, self._batch_size = _shapes(shape, label_shape, n_classes, batch_size)
        self._input_dtype = _map_values(first, lambda each: each.dtype)
        if n_classes is not None and not isinstance(label, dict) and n_classes > 0:
            self._output_dtype = np.float32
        else:
            self._output_dtype = _map_values(label, _type_of)

    def get_feed_params(self) -> dict[str, int]:
        """Returns the number of rows per `[batch, ...]`; an iterator has no other position."""
        return {"batch_size": self._batch_size}

    def get_feed_dict_fn(self) -> Callable[[], dict[str, Any]]:
        """Returns a function that returns the feed dict of the next step: placeholder's name -> `[batch, ...]` array.

        The function raises StopIteration after the last row.
        """
        self.stopped = False
        return self._next

    def _next(self) -> dict[str, Any]:
        if self.stopped:
            raise StopIteration
        rows = list(itertools.islice(self._x, self._batch_size))
        self.stopped = len(rows) < self._batch_size
        if not rows:
            raise StopIteration
        inputs = self._joined(rows, self.input_shape, self._input_dtype, None)
        feed = _named(self._input_placeholder, inputs)
        if self._y is not None:
            labels = list(itertools.islice(self._y, len(rows)))
            label_values = self._joined(labels, self.output_shape, self._output_dtype, self.n_classes)
            feed.update(_named(self._output_placeholder, label_values))
        return feed

    def _joined(self, rows: list[Any], shape: Any, dtype: Any, n_classes: Any) -> Any:
        if isinstance(shape, dict):
            return {
                key: self._joined([row[key] for row in rows], shape[key], dtype[key], _classes(n_classes, key))
                for key in shape
            }
        joined = np.zeros([len(rows), *shape[1:]], dtype=dtype)
        for number, row in enumerate(rows):
            label = row[0] if isinstance(row, list) and joined.ndim == 1 else row
            _write_label(joined[number, ...], label, n_classes)
        return joined


def _type_of(label: Any) -> Any:
    if isinstance(label, np.ndarray):
        return label.dtype
    return _type_of(label[0]) if isinstance(label, list) else np.dtype(type(label))
