# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Points of two or more classes, drawn by NumPy: circles and spirals."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from tf1mem.v1.contrib.learn.datasets.base import Dataset


def circles(
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = None,
    factor: float = 0.8,
    n_classes: int = 2,
    *args: Any,
    **kwargs: Any,
) -> Dataset:
    """Circles around one centre, a class each, in random order.

    Args:
        n_samples: How many points.
        noise: The standard deviation of what is added to them.
        seed: NumPy's, which is set for all that comes after.
        factor: How large a circle is beside the one around it.
        n_classes: How many circles.
    """
    if seed is not None:
        np.random.seed(seed)
    angles = np.linspace(0, 2 * np.pi, n_samples // n_classes)
    sizes = [factor**label for label in range(n_classes)]
    xs = [size * np.cos(angles) for size in sizes]
    ys = [size * np.sin(angles) for size in sizes]
    more = n_samples % n_classes
    xs.append(np.cos(np.random.rand(more) * 2 * np.pi))
    ys.append(np.sin(np.random.rand(more) * 2 * np.pi))
    return _shuffled(xs, ys, noise)


def spirals(
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = None,
    mode: str = "archimedes",
    n_loops: int = 2,
    *args: Any,
    **kwargs: Any,
) -> Dataset:
    """Two spirals into each other, a class each, in random order.

    Args:
        n_samples: How many points.
        noise: The standard deviation of what is added to them.
        seed: NumPy's, which is set for all that comes after.
        mode: "archimedes" for branches at equal distances, "bernoulli" for growing ones, "fermat" for falling ones.
        n_loops: How often each winds.

    Raises:
        ValueError: `mode` is none of them.
    """
    if mode not in _RADII:
        raise ValueError(f"Cannot generate spiral with mode {mode}")
    radius = _RADII[mode]
    if seed is not None:
        np.random.seed(seed)
    angles = np.linspace(0, 2 * n_loops * np.pi, n_samples // 2)
    branches = [_spiral(radius, angles, label * np.pi, **kwargs) for label in range(2)]
    more = n_samples % 2
    if more:
        branches.append(_spiral(radius, np.random.rand(more) * 2 * np.pi, 0.0, **kwargs))
    return _shuffled([x for x, _ in branches], [y for _, y in branches], noise)


_RADII: dict[str, Callable[..., Any]] = {
    "archimedes": lambda theta, **_: theta,
    "bernoulli": lambda theta, exp_scale=0.1, **_: np.exp(exp_scale * theta),
    "fermat": lambda theta, **_: np.sqrt(theta),
}


def _spiral(radius: Callable[..., Any], theta: Any, offset: float, **kwargs: Any) -> tuple[Any, Any]:
    x = radius(theta, **kwargs) * np.cos(theta + offset)
    y = radius(theta, **kwargs) * np.sin(theta + offset)
    return x / np.max(np.abs(x)), y / np.max(np.abs(y))


def _shuffled(xs: list[Any], ys: list[Any], noise: float | None) -> Dataset:
    """Points of one class after the other, mixed; what is over beyond equal shares belongs to class 0."""
    points = np.vstack((np.concatenate(xs), np.concatenate(ys))).T
    per_class = len(xs[0])
    labels: Any = np.arange(len(points), dtype=np.int32) // per_class
    labels[labels >= len(points) // per_class] = 0
    order = np.random.permutation(range(len(points)))
    if noise is not None:
        points += np.random.normal(scale=noise, size=points.shape)
    return Dataset(data=points[order], target=labels[order])
