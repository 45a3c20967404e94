# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What a decoder of data has to do."""

from __future__ import annotations

import abc
from typing import Any


class DataDecoder(abc.ABC):
    """Makes named items of a record."""

    @abc.abstractmethod
    def decode(self, data: Any, items: Any) -> Any:
        """The tensors of some items.

        Args:
            data: The record.
            items: Their names.
        """

    @abc.abstractmethod
    def list_items(self) -> Any:
        """The names of all items."""
