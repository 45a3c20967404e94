# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The base class of decoders, which turn a record into named tensors, the items."""

from __future__ import annotations

import abc
from typing import Any


class DataDecoder(abc.ABC):
    """Base class of decoders: from a record, a string of shape `[]`, to named items, tensors of any shape."""

    @abc.abstractmethod
    def decode(self, data: Any, items: Any) -> Any:
        """Returns the tensors (of any shape) of some items.

        Args:
            data: The record, a string tensor of shape `[]`.
            items: List of the items' names.
        """

    @abc.abstractmethod
    def list_items(self) -> Any:
        """Returns the names of all items, tensors of any shape that `decode` can return."""
