"""Data sets read side by side."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf


def sloppy_interleave(map_func: Any, cycle_length: int, block_length: int = 1) -> Callable[[Any], Any]:
    """`parallel_interleave(…, sloppy=True)`, for `Dataset.apply`."""
    interleave: Callable[[Any], Any] = tf.data.experimental.parallel_interleave(
        map_func, cycle_length, block_length, sloppy=True
    )
    return interleave
