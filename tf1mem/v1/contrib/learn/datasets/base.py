# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Data sets in memory, read from CSV files; files that are downloaded once."""

from __future__ import annotations

import csv
import random
import time
import urllib
import urllib.request
from collections import namedtuple
from itertools import islice
from os import path
from typing import Any, Callable

import numpy as np

import tf1mem.v1 as tf
from tf1mem.errors import DataError
from tf1mem.v1.examples.tutorials.mnist.input_data import Datasets

__all__ = [
    "Dataset",
    "Datasets",
    "load_boston",
    "load_csv_with_header",
    "load_csv_without_header",
    "load_iris",
    "maybe_download",
    "retry",
    "shrink_csv",
    "urlretrieve_with_retry",
]

Dataset = namedtuple("Dataset", ["data", "target"])


def load_csv_with_header(filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1) -> Dataset:
    """A CSV file whose first line begins with the number of samples and of features.

    Args:
        filename: The file.
        target_dtype: NumPy's type of the targets.
        features_dtype: NumPy's type of the features.
        target_column: Where the target stands in a line.
    """
    return _with_header(filename, target_dtype, features_dtype, target_column, names=0)


def _with_header(filename: str, target_dtype: Any, features_dtype: Any, target_column: int, names: int) -> Dataset:
    """As `load_csv_with_header`, with as many lines of names below the header."""
    with tf.gfile.Open(filename) as file:
        rows = csv.reader(file)
        samples, features = (int(count) for count in next(rows)[:2])
        data = np.zeros((samples, features), dtype=features_dtype)
        target = np.zeros((samples,), dtype=target_dtype)
        for number, row in enumerate(islice(rows, names, None)):
            target[number] = np.asarray(row.pop(target_column), dtype=target_dtype)
            data[number] = np.asarray(row, dtype=features_dtype)
    return Dataset(data=data, target=target)


def load_csv_without_header(filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1) -> Dataset:
    """As `load_csv_with_header`, where the first line is a sample already."""
    data, target = [], []
    with tf.gfile.Open(filename) as file:
        for row in csv.reader(file):
            target.append(row.pop(target_column))
            data.append(np.asarray(row, dtype=features_dtype))
    return Dataset(data=np.array(data), target=np.array(target, dtype=target_dtype))


def shrink_csv(filename: str, ratio: int) -> None:
    """Writes every `ratio`-th line to a file beside it, "train_small.csv" for "train.csv"."""
    with tf.gfile.Open(filename.replace(".", "_small."), "w") as small, tf.gfile.Open(filename) as file:
        csv.writer(small).writerows(row for number, row in enumerate(csv.reader(file)) if number % ratio == 0)


def load_iris(data_path: str | None = None) -> Dataset:
    """The irises: 150 samples of 4 features in 3 classes.

    Args:
        data_path: Its file, with a header; scikit-learn's copy by default.
    """
    return load_csv_with_header(data_path or _scikit_learn("iris.csv"), target_dtype=int, features_dtype=float)


def load_boston(data_path: str | None = None) -> Dataset:
    """The houses of Boston: 506 samples of 13 features, and prices.

    Args:
        data_path: Its file, with a header; the copy of an old scikit-learn by default.
    """
    if data_path:
        return load_csv_with_header(data_path, target_dtype=float, features_dtype=float)
    return _with_header(_scikit_learn("boston_house_prices.csv"), float, float, target_column=-1, names=1)


def _scikit_learn(name: str) -> str:
    """The same file of scikit-learn's; TensorFlow 1 brought copies."""
    from importlib.util import find_spec

    spec = find_spec("sklearn")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for found in (path.join(folder, "datasets", "data", name), path.join(folder, "datasets", name)):
            if path.exists(found):
                return found
    raise DataError(
        f"tf.contrib.learn.datasets: {name}",
        "it came with TensorFlow 1, and neither TensorFlow 2 nor a scikit-learn that is installed has it",
        "Give its path: data_path='…'",
    )


def retry(
    initial_delay: float,
    max_delay: float,
    factor: float = 2.0,
    jitter: float = 0.25,
    is_retriable: Callable[[Exception], bool] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that calls a function again after it has failed.

    Args:
        initial_delay: Seconds before the second call.
        max_delay: Seconds above which it is called once more, and then no more.
        factor: What the delay is multiplied by for each call.
        jitter: By which part of it a delay varies at random.
        is_retriable: Whether an exception is worth another call. Without it all are, and nothing waits.

    Raises:
        ValueError: `factor` is below 1, or `jitter` isn't below 1.
    """
    if factor < 1:
        raise ValueError(f"factor must be >= 1; was {factor:f}")
    if jitter >= 1:
        raise ValueError(f"jitter must be < 1; was {jitter:f}")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def retrying(*args: Any, **kwargs: Any) -> Any:
            delay = initial_delay
            while delay <= max_delay:
                try:
                    return function(*args, **kwargs)
                except Exception as error:
                    if is_retriable is not None:
                        if not is_retriable(error):
                            raise
                        time.sleep(delay * random.uniform(1 - jitter, 1 + jitter))
                delay *= factor
            return function(*args, **kwargs)

        return retrying

    return decorate


@retry(initial_delay=1.0, max_delay=16.0, is_retriable=lambda error: getattr(error, "errno", None) == 110)
def urlretrieve_with_retry(url: str, filename: str | None = None) -> Any:
    """`urllib.request.urlretrieve`, again and again while the connection times out (errno 110)."""
    return urllib.request.urlretrieve(url, filename)


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """Downloads a file unless it is there.

    Args:
        filename: Its name in the folder.
        work_directory: The folder, which is made.
        source_url: Where it is downloaded from.

    Returns:
        Its path.

    Raises:
        DataError: It is not there, and can't be downloaded.
    """
    if not tf.gfile.Exists(work_directory):
        tf.gfile.MakeDirs(work_directory)
    found = path.join(work_directory, filename)
    if not tf.gfile.Exists(found):
        try:
            temporary, _ = urlretrieve_with_retry(source_url)
        except OSError as error:
            raise DataError(
                filename,
                f"it is not in {work_directory}, and could not be downloaded from {source_url} ({error})",
                f"Put it into {work_directory}",
            ) from error
        tf.gfile.Copy(temporary, found)
        print("Successfully downloaded", filename, tf.gfile.Stat(found).length, "bytes.")
    return found
