# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Iterators over data sets in eager execution."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


class Iterator:
    """Iterates over the elements of a data set, nested tensors of the shapes `output_shapes`.

    Args:
        dataset: A tf.data.Dataset.

    Raises:
        RuntimeError: Eager execution is off.
    """

    def __init__(self, dataset: Any) -> None:
        if not tf.executing_eagerly():
            raise RuntimeError(
                f"{type(self)} objects can only be used when eager execution is enabled, use "
                "tf.data.Dataset.make_initializable_iterator or tf.data.Dataset.make_one_shot_iterator for graph "
                "construction"
            )
        self._iterator = iter(dataset)
        self._dataset = dataset

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        return next(self._iterator)

    def next(self) -> Any:
        """Returns the next element (its shapes: `output_shapes`); raises StopIteration after the last."""
        return self.__next__()

    def get_next(self, name: str | None = None) -> Any:
        """Returns the next element (its shapes: `output_shapes`).

        Args:
            name: Not used.

        Raises:
            OutOfRangeError: All elements have been returned.
        """
        try:
            return next(self._iterator)
        except StopIteration:
            raise tf.errors.OutOfRangeError(None, None, "End of sequence") from None

    @property
    def output_classes(self) -> Any:
        """Returns the classes of an element's components, nested like `output_shapes`: tf.Tensor or tf.SparseTensor."""
        return tf.data.get_output_classes(self._dataset)

    @property
    def output_shapes(self) -> Any:
        """Returns the shapes of an element's components."""
        return tf.data.get_output_shapes(self._dataset)

    @property
    def output_types(self) -> Any:
        """Returns the dtypes of an element's components, nested like `output_shapes`."""
        return tf.data.get_output_types(self._dataset)
