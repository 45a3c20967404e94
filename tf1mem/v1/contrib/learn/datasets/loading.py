# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Functions that return a data set of contrib.learn by its name, such as "iris"."""

from __future__ import annotations

from typing import Any, Callable

from tf1mem.v1.contrib.learn.datasets import base, mnist, synthetic, text_datasets

DATASETS: dict[str, Callable[..., Any]] = {
    "iris": base.load_iris,
    "boston": base.load_boston,
    "mnist": mnist.load_mnist,
    "dbpedia": text_datasets.load_dbpedia,
}
SYNTHETIC: dict[str, Callable[..., base.Dataset]] = {"circles": synthetic.circles, "spirals": synthetic.spirals}


def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Any:
    """Returns a data set of `DATASETS`.

    "iris" and "boston" are a `Dataset`, with `data` of shape `[num_samples, num_features]`; "mnist" and "dbpedia" are
    `Datasets`, with parts for training and tests.

    Args:
        name: Name of the data set.
        size: Size of DBpedia; "small" loads every thousandth line.
        test_with_fake_data: True for DBpedia's fake data; raises an error, because only TensorFlow 1 came with them.

    Raises:
        ValueError: The name is unknown.
    """
    if name not in DATASETS:
        raise ValueError(f"Name of dataset is not found: {name}")
    return DATASETS[name](size, test_with_fake_data) if name == "dbpedia" else DATASETS[name]()


def make_dataset(
    name: str, n_samples: int = 100, noise: float | None = None, seed: int = 42, *args: Any, **kwargs: Any
) -> base.Dataset:
    """Returns a synthetic data set of `SYNTHETIC`: `data` is `[n_samples, 2]`, `target` is `[n_samples]`.

    Args:
        name: Name of the data set.
        n_samples: Number of points.
        noise: Standard deviation of Gaussian noise; None for no noise.
        seed: Seed of NumPy's global generator.
        *args: Further arguments of the data set's function.
        **kwargs: Further keyword arguments of the data set's function.

    Raises:
        ValueError: The name is unknown.
    """
    if name not in SYNTHETIC:
        raise ValueError(f"Synthetic dataset not found or not implemeted: {name}")
    return SYNTHETIC[name](n_samples, noise, seed, *args, **kwargs)
