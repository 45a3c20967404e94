"""Datasets of HDF5 files as Keras's input, and models in streams of HDF5: what later versions of Keras have removed."""

from __future__ import annotations

import io
from typing import Any, BinaryIO, Callable, ClassVar

import h5py  # type: ignore[import-untyped]
import numpy as np


class HDF5Matrix:
    """A dataset of an HDF5 file, or a part of its rows, which `fit`, `evaluate` and `predict` take like an array.

    Attributes:
        data: The h5py dataset.
        start: The first row of the part.
        end: The row after its last one.
        normalizer: The function that is called on rows that are read, or None.
    """

    # Path -> the open file, which all matrices of that file share.
    refs: ClassVar[dict[str, Any]] = {}

    def __init__(
        self,
        datapath: str,
        dataset: str,
        start: int = 0,
        end: int | None = None,
        normalizer: Callable[[Any], Any] | None = None,
    ) -> None:
        """Opens a file, unless another matrix has opened it.

        Args:
            datapath: Path of the HDF5 file.
            dataset: Name of the dataset in the file.
            start: The first row of the part.
            end: The row after its last one; None for all rows.
            normalizer: Function of an array of rows, `[rows, …]`, whose result is used in its place.

        Raises:
            OSError: There is no such file.
            KeyError: The file has no such dataset.
        """
        file = self.refs.get(datapath)
        if not file:  # an h5py file that has been closed is false
            file = self.refs[datapath] = h5py.File(datapath, "r")
        self.data = file[dataset]
        self.start = start
        self.end = self.data.shape[0] if end is None else end
        self.normalizer = normalizer
        first = self._normalized(self.data[0:1])
        self._row_shape, self._dtype = first.shape[1:], first.dtype

    def _normalized(self, rows: Any) -> Any:
        return rows if self.normalizer is None else self.normalizer(rows)

    def __len__(self) -> int:
        return self.end - self.start

    def __getitem__(self, key: Any) -> Any:
        """Returns rows of the part.

        Args:
            key: A row's number, a slice, or a list or an array of numbers in ascending order.

        Raises:
            IndexError: The part has no such row.
        """
        rows: Any
        if isinstance(key, slice):
            first = 0 if key.start is None else key.start
            after = len(self) if key.stop is None else key.stop
            rows, last = slice(first + self.start, after + self.start), after - 1
        elif isinstance(key, (int, np.integer)):
            rows, last = int(key) + self.start, int(key)
        else:
            numbers = np.asarray(key)
            rows, last = (numbers + self.start).tolist(), int(numbers.max())
        if last + self.start >= self.end:
            raise IndexError(f"HDF5Matrix: there is no row {last}, only {len(self)} rows.")
        return self._normalized(self.data[rows])

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the part: `(rows, …)`."""
        return (len(self), *self._row_shape)

    @property
    def dtype(self) -> Any:
        """The rows' NumPy dtype."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return int(self.data.ndim)

    @property
    def size(self) -> int:
        """The number of values in the part."""
        return int(np.prod(self.shape))


def save_to_binary_h5py(save_function: Callable[[Any], Any], stream: BinaryIO) -> Any:
    """Writes the HDF5 file that a function makes to a stream.

    Args:
        save_function: Called with an `h5py.File` in memory, into which it writes.
        stream: Stream of bytes.

    Returns:
        The function's result.
    """
    with h5py.File("in_memory", "w", driver="core", backing_store=False) as file:
        result = save_function(file)
        file.flush()
        stream.write(file.id.get_file_image())
    return result


def load_from_binary_h5py(load_function: Callable[[Any], Any], stream: BinaryIO) -> Any:
    """Returns what a function reads from an HDF5 file in a stream.

    Args:
        load_function: Called with the open `h5py.File`.
        stream: Stream of bytes, which is read to its end.
    """
    with h5py.File(io.BytesIO(stream.read()), "r") as file:
        return load_function(file)
