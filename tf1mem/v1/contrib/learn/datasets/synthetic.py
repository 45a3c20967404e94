# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Synthetic points of several classes: circles and spirals."""

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
    """Returns points on concentric circles, one class per circle, in random order.

    Args:
        n_samples: Number of points.
        noise: Standard deviation of Gaussian noise; None for no noise.
        seed: Seed of NumPy's global generator; None leaves it unchanged.
        factor: Ratio of a circle's radius to that of the circle around it.
        n_classes: Number of circles.
        *args: Not used.
        **kwargs: Not used.

    Returns:
        `Dataset` with `data` of shape `[n_samples, 2]` and `target` of shape `[n_samples]`.
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
    """Returns points on two interleaved spirals, one class per spiral, in random order.

    Args:
        n_samples: Number of points.
        noise: Standard deviation of Gaussian noise; None for no noise.
        seed: Seed of NumPy's global generator; None leaves it unchanged.
        mode: Kind of spiral: "archimedes" (constant distance between turns), "bernoulli" (growing) or "fermat"
            (shrinking).
        n_loops: Number of turns of each spiral.
        *args: Not used.
        **kwargs: Keyword arguments of the radius, for example `exp_scale` of "bernoulli".

    Returns:
        `Dataset` with `data` of shape `[n_samples, 2]` and `target` of shape `[n_samples]`.

    Raises:
        ValueError: The mode is unknown.
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
    """Returns points of successive classes in random order; points beyond equal shares belong to class 0."""
    points = np.vstack((np.concatenate(xs), np.concatenate(ys))).T
    per_class = len(xs[0])
    labels: Any = np.arange(len(points), dtype=np.int32) // per_class
    labels[labels >= len(points) // per_class] = 0
    order = np.random.permutation(range(len(points)))
    if noise is not None:
        points += np.random.normal(scale=noise, size=points.shape)
    return Dataset(data=points[order], target=labels[order])
