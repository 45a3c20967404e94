# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Images warped by a flow of each pixel, by tf.contrib.image."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def _interpolate_bilinear(
    grid: Any, query_points: Any, name: str = "interpolate_bilinear", indexing: str = "ij"
) -> Any:
    """What lies at points between those of a grid, [batch, points, channels].

    Args:
        grid: [batch, height, width, channels].
        query_points: [batch, points, 2]; those outside count as on the edge.
        name: The name scope.
        indexing: "ij" for points that are row and column, "xy" for the other way round.

    Raises:
        ValueError: The grid has another rank, or there is no such indexing.
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
            """The point of the grid before each, and how far it is from there."""
            before = tf.minimum(tf.maximum(tf.floor(each), 0.0), tf.cast(size - 2, each.dtype))
            share = tf.minimum(tf.maximum(tf.cast(each - before, grid.dtype), 0.0), 1.0)
            return tf.cast(before, tf.int32), share[..., None]

        (top, down), (left, across) = edges(rows, height), edges(columns, width)
        of_batch = tf.tile(tf.range(batch)[:, None], [1, tf.shape(points)[1]])

        def at(row: Any, column: Any) -> Any:
            return tf.gather_nd(grid, tf.stack([of_batch, row, column], axis=-1))

        def between(row: Any) -> Any:
            start = at(row, left)
            return across * (at(row, left + 1) - start) + start

        upper = between(top)
        return down * (between(top + 1) - upper) + upper


def dense_image_warp(image: Any, flow: Any, name: str = "dense_image_warp") -> Any:
    """Images whose pixel at (row, column) is that which lies at (row, column) less the flow there.

    Args:
        image: [batch, height, width, channels].
        flow: [batch, height, width, 2], in pixels: rows and columns.
        name: The name scope.
    """
    with tf.name_scope(name):
        batch, height, width, _ = tf.unstack(tf.shape(image))
        columns, rows = tf.meshgrid(tf.range(width), tf.range(height))
        points = tf.cast(tf.stack([rows, columns], axis=2), flow.dtype)[None] - flow
        found = _interpolate_bilinear(image, tf.reshape(points, [batch, height * width, 2]))
        return tf.reshape(found, tf.shape(image))
