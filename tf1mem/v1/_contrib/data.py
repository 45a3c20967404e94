"""Transformations of contrib.data that tf.data can say in a line."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable


def batch_and_drop_remainder(batch_size: Any) -> Callable[[Any], Any]:
    """`Dataset.batch(batch_size, drop_remainder=True)`, for `Dataset.apply`."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: Any, padded_shapes: Any, padding_values: Any = None
) -> Callable[[Any], Any]:
    """`Dataset.padded_batch(…, drop_remainder=True)`, for `Dataset.apply`."""
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes=padded_shapes, padding_values=padding_values, drop_remainder=True
    )


def sloppy_interleave(map_func: Any, cycle_length: int, block_length: int = 1) -> Callable[[Any], Any]:
    """`parallel_interleave(…, sloppy=True)`, for `Dataset.apply`."""
    experimental = import_module("tf1mem.v1").data.experimental
    interleave: Callable[[Any], Any] = experimental.parallel_interleave(
        map_func, cycle_length, block_length, sloppy=True
    )
    return interleave
