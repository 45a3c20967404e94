# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Image warping by a flow: a displacement for each pixel (tf.contrib.image)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1._seeds import tf1_makes_more

# Number of ops that TensorFlow 1's function makes more, among them assertions of sizes.
_TF1_OPS = 64


def _interpolate_bilinear(
    grid: Any, query_points: Any, name: str = "interpolate_bilinear", indexing: str = "ij"
) -> Any:
    """Returns the bilinear interpolation of a grid at points, `[batch, points, channels]`.

    Args:
        grid: `[batch, height, width, channels]` float tensor.
        query_points: `[batch, points, 2]` float tensor; points outside of the grid are moved to its edge.
        name: Name scope.
        indexing: "ij" for points of (row, column), "xy" for (column, row).

    Raises:
        ValueError: The grid has another rank, or `indexing` is unknown.
    """
    if indexing not in ("ij", "xy"):
        raise ValueError("Indexing mode must be 'ij' or 'xy'")
    with tf.name_scope(name):
        grid, points = tf.convert_to_tensor(grid), tf.convert_to_tensor(query_points)
        if grid.shape.ndims != 4:
            raise ValueError(f"Grid must be 4 dimensional. Received size: {grid.shape}")
        batch, height, width, _ = tf.unstack(tf.shape(grid))
        checks = [
            tf.assert_equal(tf.rank(points), 3, message="Query points must be 3 dimensional."),
            tf.assert_equal(tf.shape(points)[2], 2, message="Query points must be size 2 in dim 2."),
            tf.assert_greater_equal(height, 2, message="Grid height must be at least 2."),
            tf.assert_greater_equal(width, 2, message="Grid width must be at least 2."),
        ]
        with tf.control_dependencies(checks):
            rows, columns = tf.unstack(points, axis=2)
        if indexing == "xy":
            rows, columns = columns, rows

        def edges(each: Any, size: Any) -> tuple[Any, Any]:
            """Returns the last grid index before each coordinate, `[batch, points]`, and the fraction beyond it."""
            before = tf.minimum(tf.maximum(tf.floor(each), 0.0), tf.cast(size - 2, each.dtype))
            share = tf.minimum(tf.maximum(tf.cast(each - before, grid.dtype), 0.0), 1.0)
            return tf.cast(before, tf.int32), share[..., None]

        (top, down), (left, across) = edges(rows, height), edges(columns, width)
        batch_indices = tf.tile(tf.range(batch)[:, None], [1, tf.shape(points)[1]])

        def values_at(row: Any, column: Any) -> Any:
            """Returns the grid's values at indices `row` and `column`, `[batch, points, channels]`."""
            return tf.gather_nd(grid, tf.stack([batch_indices, row, column], axis=-1))

        def between(row: Any) -> Any:
            """Returns values interpolated along a row, `[batch, points, channels]`."""
            start = values_at(row, left)
            return across * (values_at(row, left + 1) - start) + start

        upper = between(top)
        return down * (between(top + 1) - upper) + upper


def dense_image_warp(image: Any, flow: Any, name: str = "dense_image_warp") -> Any:
    """Warps images: output pixel `(row, column)` is the input's value at `(row, column) - flow[row, column]`.

    Args:
        image: `[batch, height, width, channels]` float tensor.
        flow: `[batch, height, width, 2]` float tensor of row and column offsets, in pixels.
        name: Name scope.

    Returns:
        `[batch, height, width, channels]` float tensor.
    """
    with tf.name_scope(name):
        batch, height, width, _ = tf.unstack(tf.shape(image))
        columns, rows = tf.meshgrid(tf.range(width), tf.range(height))
        points = tf.cast(tf.stack([rows, columns], axis=2), flow.dtype)[None] - flow
        warped = _interpolate_bilinear(image, tf.reshape(points, [batch, height * width, 2]))
        tf1_makes_more(_TF1_OPS)
        return tf.reshape(warped, tf.shape(image))
