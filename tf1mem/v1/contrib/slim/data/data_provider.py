# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The base class of DatasetDataProvider: gives out tensors by name."""

from __future__ import annotations

from typing import Any


class DataProvider:
    """Base class of providers of named tensors.

    Args:
        items_to_tensors: Name -> tensor of any shape.
        num_samples: Number of samples in the data set.
    """

    def __init__(self, items_to_tensors: Any, num_samples: Any) -> None:
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items: Any) -> list[Any]:
        """Returns the tensors (of any shape) with these names.

        Args:
            items: List or tuple of names.

        Raises:
            ValueError: `items` isn't a list or tuple, or contains an unknown name.
        """
        if not isinstance(items, (list, tuple)):
            raise ValueError("items must be a list or tuple")
        for item in items:
            if item not in self._items_to_tensors:
                raise ValueError(f"Item [{item}] is invalid. Valid entries include: {list(self._items_to_tensors)}")
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> Any:
        """Returns the names of all items, tensors of any shape that `get` can return."""
        return self._items_to_tensors.keys()

    def num_samples(self) -> Any:
        """Returns the number of samples in the data set."""
        return self._num_samples
