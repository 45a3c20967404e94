"""Datasets of HDF5 files as Keras's input, and HDF5 in streams of bytes."""

from __future__ import annotations

import io

import h5py  # type: ignore[import-untyped]
import numpy as np
import pytest

from tf1mem.v1._keras_hdf5 import HDF5Matrix, load_from_binary_h5py, save_to_binary_h5py


def test_a_part_of_a_dataset_is_read_like_an_array(tmp_path):
    rows, path = np.arange(20.0).reshape(10, 2), str(tmp_path / "data.h5")
    with h5py.File(path, "w") as file:
        file["x"] = rows
    part = HDF5Matrix(path, "x", start=2, end=8, normalizer=lambda read: read + 1)
    assert (part.shape, part.ndim, part.size, len(part), part.dtype) == ((6, 2), 2, 12, 6, np.float64)
    for key in (slice(1, 3), slice(None, None), 5, np.array([0, 4]), [1, 2]):
        assert np.array_equal(part[key], rows[2:8][key] + 1), key
    for key in (6, slice(0, 7), [5, 6]):
        with pytest.raises(IndexError, match="only 6 rows"):
            part[key]


def test_what_is_written_to_a_stream_is_read_from_it():
    def write(file):
        file["x"] = [1, 2, 3]
        return "written"

    stream = io.BytesIO()
    assert save_to_binary_h5py(write, stream) == "written"
    stream.seek(0)
    assert load_from_binary_h5py(lambda file: file["x"][:].tolist(), stream) == [1, 2, 3]
