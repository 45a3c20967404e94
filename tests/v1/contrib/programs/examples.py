"""Programs that use tensorflow.examples, which tf1mem supplies like contrib: they read very small files of MNIST."""

from __future__ import annotations

import gzip
import os
import tempfile
from importlib import import_module
from typing import Any

import numpy as np


def _input_data(tf: Any) -> Any:
    return import_module(tf.__name__ + ".examples.tutorials.mnist.input_data")


def _images(number: int) -> Any:
    return (np.arange(number * 6).reshape(number, 3, 2, 1) * 5 % 256).astype(np.uint8)


def _folder() -> str:
    """Returns a folder with MNIST's four files, which have twelve images for training and five for testing."""
    folder = tempfile.mkdtemp()
    for which, number in (("train", 12), ("t10k", 5)):
        head = np.array([2051, number, 3, 2], ">u4").tobytes()
        with gzip.open(os.path.join(folder, which + "-images-idx3-ubyte.gz"), "wb") as file:
            file.write(head + _images(number).tobytes())
        with gzip.open(os.path.join(folder, which + "-labels-idx1-ubyte.gz"), "wb") as file:
            file.write(np.array([2049, number], ">u4").tobytes() + (np.arange(number) % 10).astype(np.uint8).tobytes())
    return folder


def _seen(data: Any) -> Any:
    return [
        [part.num_examples, str(part.images.dtype), part.images.tolist(), str(part.labels.dtype), part.labels.tolist()]
        for part in data
    ]


def read_data_sets(tf: Any) -> Any:
    data = _input_data(tf).read_data_sets(_folder(), validation_size=3)
    return [_seen(data), list(data._fields)]


def read_data_sets_one_hot(tf: Any) -> Any:
    options = {"one_hot": True, "reshape": False, "dtype": tf.uint8, "validation_size": 0}
    return _seen(_input_data(tf).read_data_sets(_folder(), **options))


def read_data_sets_fake(tf: Any) -> Any:
    data = _input_data(tf).read_data_sets("nowhere", fake_data=True, one_hot=True)
    images, labels = data.validation.next_batch(2, fake_data=True)
    return [data.train.num_examples, len(images), sum(images[1]), labels]


def next_batch(tf: Any) -> Any:
    train = _input_data(tf).read_data_sets(_folder(), validation_size=2, seed=7).train
    seen = []
    for size in (4, 4, 4, 8, 3):
        images, labels = train.next_batch(size)
        seen.append([images.tolist(), labels.tolist(), train.epochs_completed])
    return seen


def next_batch_with_the_graph_seed(tf: Any) -> Any:
    tf.set_random_seed(11)
    train = _input_data(tf).read_data_sets(_folder(), validation_size=2).train
    return [train.next_batch(3)[1].tolist() for _ in range(5)]


def next_batch_without_shuffling(tf: Any) -> Any:
    train = _input_data(tf).read_data_sets(_folder(), validation_size=2).train
    return [train.next_batch(4, shuffle=False)[1].tolist() for _ in range(5)]


def errors(tf: Any) -> Any:
    input_data = _input_data(tf)
    kinds = []
    for options in ({"validation_size": 13}, {"dtype": tf.int32, "validation_size": 0}, {"validation_size": -1}):
        try:
            input_data.read_data_sets(_folder(), **options)
        except (TypeError, ValueError) as error:
            kinds.append(type(error).__name__)
    return kinds
