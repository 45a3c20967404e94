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
