# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/examples of TensorFlow 1.15.5, and changed: see NOTICE.

"""MNIST as TensorFlow 1's tutorials read it: from a folder, else from Keras's cache, else from the network."""

from __future__ import annotations

import gzip
import os
from collections import namedtuple
from typing import Any
from urllib.error import URLError
from urllib.request import urlretrieve

import numpy as np

import tf1mem.v1 as tf
from tf1mem.errors import DataError

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"

# File in the folder -> name of the same array in Keras's mnist.npz.
_FILES = {
    "train-images-idx3-ubyte.gz": "x_train",
    "train-labels-idx1-ubyte.gz": "y_train",
    "t10k-images-idx3-ubyte.gz": "x_test",
    "t10k-labels-idx1-ubyte.gz": "y_test",
}
# Magic numbers, the first four bytes of files of images and of labels.
_IMAGES, _LABELS = 2051, 2049

Datasets = namedtuple("Datasets", ["train", "validation", "test"])


class DataSet:
    """Images and labels, returned in batches, and shuffled again in each epoch.

    Args:
        images: uint8 array `[number, rows, columns, 1]`.
        labels: Array `[number]`, or one-hot `[number, classes]`.
        fake_data: True for 10,000 constant examples in place of `images`.
        one_hot: True for one-hot labels of fake data.
        dtype: tf.float32 to scale pixels to 0 to 1, or tf.uint8 to leave them at 0 to 255.
        reshape: True to flatten images to `[number, rows * columns]`.
        seed: Seed of NumPy's global random state, which shuffles; by default the graph's seed, if it has one.

    Raises:
        TypeError: `dtype` is neither float32 nor uint8.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = tf.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        of_graph, of_op = tf.get_seed(seed)
        np.random.seed(of_graph if seed is None else of_op)
        dtype = tf.as_dtype(dtype).base_dtype
        if dtype not in (tf.uint8, tf.float32):
            raise TypeError(f"dtype is {dtype!r}: give tf.uint8 or tf.float32")
        self._num_examples = 10000
        if fake_data:
            self.one_hot = one_hot
        else:
            assert len(images) == len(labels), f"{len(images)} images have {len(labels)} labels"
            self._num_examples = images.shape[0]
            if reshape:
                assert images.shape[3] == 1
                images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
            if dtype == tf.float32:
                images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
        self._images = images
        self._labels = labels
        self._epochs_completed = 0
        self._index_in_epoch = 0

    @property
    def images(self) -> Any:
        """Returns the images, in this epoch's order."""
        return self._images

    @property
    def labels(self) -> Any:
        """Returns the labels, in this epoch's order."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """Returns the number of examples."""
        return self._num_examples

    @property
    def epochs_completed(self) -> int:
        """Returns the number of completed epochs."""
        return self._epochs_completed

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> tuple[Any, Any]:
        """Returns the next `batch_size` images and labels.

        A batch across the end of an epoch has the epoch's last examples and the first ones of the next epoch.

        Args:
            batch_size: Number of examples.
            fake_data: True for constant examples.
            shuffle: True to shuffle at the start of each epoch.
        """
        if fake_data:
            label = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        start, end = self._index_in_epoch, self._index_in_epoch + batch_size
        if shuffle and start == 0 and self._epochs_completed == 0:
            self._shuffle()
        if end <= self._num_examples:
            self._index_in_epoch = end
            return self._images[start:end], self._labels[start:end]
        images, labels = self._images[start:], self._labels[start:]
        self._epochs_completed += 1
        if shuffle:
            self._shuffle()
        self._index_in_epoch = end = end - self._num_examples
        return np.concatenate((images, self._images[:end])), np.concatenate((labels, self._labels[:end]))

    def _shuffle(self) -> None:
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]


def extract_images(f: Any) -> Any:
    """Returns the images of an MNIST file, a uint8 array `[number, rows, columns, 1]`.

    Args:
        f: The gzipped file, opened to read bytes.

    Raises:
        ValueError: `f` isn't a file of images.
    """
    (number, rows, columns), pixels = _extract(f, _IMAGES, "image")
    return pixels.reshape(number, rows, columns, 1)


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = 10) -> Any:
    """Returns the labels of an MNIST file, a uint8 array `[number]`, or one-hot float64 `[number, num_classes]`.

    Args:
        f: The gzipped file, opened to read bytes.
        one_hot: True for one-hot labels.
        num_classes: Number of classes of one-hot labels.

    Raises:
        ValueError: `f` isn't a file of labels.
    """
    _, labels = _extract(f, _LABELS, "label")
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def _extract(f: Any, magic: int, content: str) -> tuple[Any, Any]:
    print("Extracting", f.name)
    with gzip.GzipFile(fileobj=f) as stream:
        start = int.from_bytes(stream.read(4), "big")
        if start != magic:
            raise ValueError(f"{f.name} is not an MNIST {content} file: it begins with {start}, not with {magic}")
        sizes = [int.from_bytes(stream.read(4), "big") for _ in range(3 if magic == _IMAGES else 1)]
        return sizes, np.frombuffer(stream.read(int(np.prod(sizes))), dtype=np.uint8)


def dense_to_one_hot(labels_dense: Any, num_classes: int) -> Any:
    """Returns one-hot float64 labels `[number, num_classes]` for integer labels `[number]`."""
    return np.eye(num_classes)[labels_dense.ravel()]


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """Returns the path of a file in a folder, after downloading it if it is missing.

    Args:
        filename: Name of the file.
        work_directory: The folder, which is created if it is missing.
        source_url: URL of the file.

    Raises:
        DataError: The download fails.
    """
    path = os.path.join(work_directory, filename)
    if not os.path.exists(path):
        os.makedirs(work_directory, exist_ok=True)
        try:
            temporary, _ = urlretrieve(source_url, path + ".part")
        except (URLError, OSError) as error:
            raise DataError(
                path,
                f"it isn't there, and {source_url} can't be downloaded ({getattr(error, 'reason', error)})",
                "Put the file there, or download it where there is a network",
            ) from None
        os.replace(temporary, path)
        print("Successfully downloaded", filename, os.path.getsize(path), "bytes.")
    return path


def _path_in_keras_cache() -> str:
    home = os.environ.get("KERAS_HOME", os.path.join(os.path.expanduser("~"), ".keras"))
    return os.path.join(home, "datasets", "mnist.npz")


def _read(train_dir: str, one_hot: bool, source_url: str) -> list[Any]:
    """Returns the four arrays, in the order of `_FILES`."""
    cache = _path_in_keras_cache()
    # Another URL means other images, such as Fashion-MNIST's.
    uses_cache = source_url == DEFAULT_SOURCE_URL and os.path.exists(cache)
    if uses_cache and not all(os.path.exists(os.path.join(train_dir, name)) for name in _FILES):
        print("Extracting", cache)
        with np.load(cache) as arrays:
            cached = [arrays[name] for name in _FILES.values()]
        return [
            array[..., np.newaxis] if array.ndim == 3 else dense_to_one_hot(array, 10) if one_hot else array
            for array in cached
        ]
    read = []
    for name in _FILES:
        with open(maybe_download(name, train_dir, source_url + name), "rb") as file:
            read.append(extract_images(file) if "images" in name else extract_labels(file, one_hot=one_hot))
    return read


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = tf.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = DEFAULT_SOURCE_URL,
) -> Any:
    """Returns MNIST as a tuple of DataSets: `train`, `validation` and `test`.

    Args:
        train_dir: Folder of the four files. If a file is missing, all data comes from Keras's cached mnist.npz, if that
            exists; otherwise missing files are downloaded into the folder.
        fake_data: True for constant examples.
        one_hot: True for one-hot labels `[number, 10]`.
        dtype: tf.float32 to scale pixels to 0 to 1, or tf.uint8 to leave them at 0 to 255.
        reshape: True for images `[number, 784]`, False for `[number, 28, 28, 1]`.
        validation_size: Number of the 60,000 training images, from the first, to use for validation.
        seed: Seed of NumPy's global random state, which shuffles; by default the graph's seed, if it has one.
        source_url: URL of the folder to download from.

    Raises:
        DataError: A file is missing and can't be downloaded.
        ValueError: `validation_size` is negative or too large.
    """
    options: Any = {"dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:
        return Datasets(*(DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed) for _ in range(3)))
    images, labels, test_images, test_labels = _read(train_dir, one_hot, source_url or DEFAULT_SOURCE_URL)
    if not 0 <= validation_size <= len(images):
        raise ValueError(f"validation_size is {validation_size}: give 0 to {len(images)}")
    return Datasets(
        train=DataSet(images[validation_size:], labels[validation_size:], **options),
        validation=DataSet(images[:validation_size], labels[:validation_size], **options),
        test=DataSet(test_images, test_labels, **options),
    )


def load_mnist(train_dir: str = "MNIST-data") -> Any:
    """Returns `read_data_sets(train_dir)`."""
    return read_data_sets(train_dir)
