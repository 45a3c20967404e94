# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""DBpedia articles in 14 classes (Zhang et al., 2015, arXiv:1509.01626)."""

from __future__ import annotations

import os
import tarfile

import numpy as np

import tf1mem.v1 as tf
from tf1mem.errors import DataError
from tf1mem.v1.contrib.learn.datasets import base

DBPEDIA_URL = "https://github.com/le-scientifique/torchDatasets/raw/master/dbpedia_csv.tar.gz"


def maybe_download_dbpedia(data_dir: str) -> None:
    """Downloads DBpedia (Zhang et al., arXiv:1509.01626) into a folder unless its files are there.

    Args:
        data_dir: The folder.

    Raises:
        DataError: The archive can't be downloaded.
    """
    if not all(tf.gfile.Exists(os.path.join(data_dir, "dbpedia_csv", name)) for name in ("train.csv", "test.csv")):
        with tarfile.open(base.maybe_download("dbpedia_csv.tar.gz", data_dir, DBPEDIA_URL), "r:*") as archive:
            archive.extractall(data_dir)


def load_dbpedia(size: str = "small", test_with_fake_data: bool = False) -> base.Datasets:
    """Returns DBpedia's sets for training and tests, after downloading them if needed.

    They are in the folder `dbpedia_data`, within the folder that TF_EXP_BASE_DIR names, or else the working folder.

    Args:
        size: "small" for every thousandth line; any other string for all lines.
        test_with_fake_data: True for fake data; raises an error, because only TensorFlow 1 came with them.

    Returns:
        `Datasets` with `data` of shape `[num_articles, 2]` (title and text) and `target` of shape `[num_articles]`.

    Raises:
        DataError: The archive can't be downloaded, or fake data is requested.
    """
    if test_with_fake_data:
        raise DataError(
            "tf.contrib.learn.datasets: DBpedia's fake data", "it came with TensorFlow 1", "Load DBpedia itself"
        )
    folder = os.path.join(os.getenv("TF_EXP_BASE_DIR", ""), "dbpedia_data")
    maybe_download_dbpedia(folder)
    parts = []
    for name in ("train", "test"):
        file = os.path.join(folder, "dbpedia_csv", name + ".csv")
        if size == "small":
            base.shrink_csv(file, 1000)
            file = os.path.join(folder, "dbpedia_csv", name + "_small.csv")
        parts.append(base.load_csv_without_header(file, target_dtype=np.int32, features_dtype=np.str_, target_column=0))
    return base.Datasets(train=parts[0], validation=None, test=parts[1])
