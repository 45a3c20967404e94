# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Data sets from CSV files, and downloads."""

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
    """Reads a CSV file whose first line starts with the numbers of samples and features.

    Args:
        filename: Path of the file.
        target_dtype: NumPy dtype of the targets.
        features_dtype: NumPy dtype of the features.
        target_column: Index of the target in a line; the last by default.

    Returns:
        `Dataset` with `data` of shape `[num_samples, num_features]` and `target` of shape `[num_samples]`.
    """
    return _with_header(filename, target_dtype, features_dtype, target_column, name_lines=0)


def _with_header(filename: str, target_dtype: Any, features_dtype: Any, target_column: int, name_lines: int) -> Dataset:
    """Implements `load_csv_with_header`, and skips `name_lines` lines of names below the header."""
    with tf.gfile.Open(filename) as file:
        rows = csv.reader(file)
        samples, features = (int(count) for count in next(rows)[:2])
        data = np.zeros((samples, features), dtype=features_dtype)
        target = np.zeros((samples,), dtype=target_dtype)
        for number, row in enumerate(islice(rows, name_lines, None)):
            target[number] = np.asarray(row.pop(target_column), dtype=target_dtype)
            data[number] = np.asarray(row, dtype=features_dtype)
    return Dataset(data=data, target=target)


def load_csv_without_header(filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1) -> Dataset:
    """Reads a CSV file whose first line is a sample.

    Args:
        filename: Path of the file.
        target_dtype: NumPy dtype of the targets.
        features_dtype: NumPy dtype of the features.
        target_column: Index of the target in a line; the last by default.

    Returns:
        `Dataset` with `data` of shape `[num_samples, num_features]` and `target` of shape `[num_samples]`.
    """
    data, target = [], []
    with tf.gfile.Open(filename) as file:
        for row in csv.reader(file):
            target.append(row.pop(target_column))
            data.append(np.asarray(row, dtype=features_dtype))
    return Dataset(data=np.array(data), target=np.array(target, dtype=target_dtype))


def shrink_csv(filename: str, ratio: int) -> None:
    """Writes every `ratio`-th line of a CSV file to a file beside it, "train_small.csv" for "train.csv".

    Args:
        filename: Path of the file, with a single dot.
        ratio: Number of lines for each line that is written; 1000 keeps the lines 0, 1000, 2000 and so on.
    """
    with tf.gfile.Open(filename.replace(".", "_small."), "w") as small, tf.gfile.Open(filename) as file:
        csv.writer(small).writerows(row for number, row in enumerate(csv.reader(file)) if number % ratio == 0)


def load_iris(data_path: str | None = None) -> Dataset:
    """Returns Fisher's iris data set (1936): `data` is `[150, 4]`, `target` is `[150]` with 3 classes.

    Args:
        data_path: Path of the CSV file with a header; scikit-learn's copy by default.
    """
    return load_csv_with_header(data_path or _scikit_learn("iris.csv"), target_dtype=int, features_dtype=float)


def load_boston(data_path: str | None = None) -> Dataset:
    """Returns the Boston house prices (Harrison and Rubinfeld, 1978): `data` is `[506, 13]`, `target` is `[506]`.

    Args:
        data_path: Path of the CSV file with a header; the copy of an old scikit-learn by default.
    """
    if data_path:
        return load_csv_with_header(data_path, target_dtype=float, features_dtype=float)
    return _with_header(_scikit_learn("boston_house_prices.csv"), float, float, target_column=-1, name_lines=1)


def _scikit_learn(name: str) -> str:
    """Returns the path of scikit-learn's copy of a file that TensorFlow 1 came with."""
    from importlib.util import find_spec

    spec = find_spec("sklearn")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for file in (path.join(folder, "datasets", "data", name), path.join(folder, "datasets", name)):
            if path.exists(file):
                return file
    raise DataError(
        f"tf.contrib.learn.datasets: {name}",
        "it came with TensorFlow 1, and neither TensorFlow 2 nor an installed scikit-learn has it",
        "Give its path: data_path='…'",
    )


def retry(
    initial_delay: float,
    max_delay: float,
    factor: float = 2.0,
    jitter: float = 0.25,
    is_retriable: Callable[[Exception], bool] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator that calls a function again after an exception.

    Args:
        initial_delay: Seconds before the second call.
        max_delay: Seconds of delay beyond which the next call is the last.
        factor: Factor of the delay for each call, at least 1.
        jitter: Largest random change of a delay, as a fraction of it, below 1.
        is_retriable: Function of an exception that returns true if it allows another call; None retries after every
            exception, without delay.

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
    """Calls `urllib.request.urlretrieve`, and retries while the connection times out (errno 110).

    Args:
        url: Address to download from.
        filename: Path to write to; a temporary file by default.
    """
    return urllib.request.urlretrieve(url, filename)


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """Downloads a file unless it exists.

    Args:
        filename: Name of the file.
        work_directory: Folder of the file, which is created if needed.
        source_url: Address to download from.

    Returns:
        Path of the file.

    Raises:
        DataError: The file doesn't exist and can't be downloaded.
    """
    if not tf.gfile.Exists(work_directory):
        tf.gfile.MakeDirs(work_directory)
    file_path = path.join(work_directory, filename)
    if not tf.gfile.Exists(file_path):
        try:
            temporary, _ = urlretrieve_with_retry(source_url)
        except OSError as error:
            raise DataError(
                filename,
                f"it is not in {work_directory}, and could not be downloaded from {source_url} ({error})",
                f"Put it into {work_directory}",
            ) from error
        tf.gfile.Copy(temporary, file_path)
        print("Successfully downloaded", filename, tf.gfile.Stat(file_path).length, "bytes.")
    return file_path
