# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What provides tensors by name."""

from __future__ import annotations

from typing import Any


class DataProvider:
    """Tensors by name.

    Args:
        items_to_tensors: Name -> tensor.
        num_samples: How many samples the data set has.
    """

    def __init__(self, items_to_tensors: Any, num_samples: Any) -> None:
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items: Any) -> list[Any]:
        """The tensors of those names.

        Raises:
            ValueError: `items` is no list or tuple, or has an unknown name.
        """
        if not isinstance(items, (list, tuple)):
            raise ValueError("items must be a list or tuple")
        for item in items:
            if item not in self._items_to_tensors:
                raise ValueError(f"Item [{item}] is invalid. Valid entries include: {list(self._items_to_tensors)}")
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> Any:
        """All names."""
        return self._items_to_tensors.keys()

    def num_samples(self) -> Any:
        """How many samples the data set has."""
        return self._num_samples
