# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Image warping by a few control points (tf.contrib.image)."""

from __future__ import annotations

from typing import Any

import numpy as np

import tf1mem.v1 as tf
from tf1mem.v1.contrib.image.dense_image_warp import dense_image_warp
from tf1mem.v1.contrib.image.interpolate_spline import interpolate_spline


def sparse_image_warp(
    image: Any,
    source_control_point_locations: Any,
    dest_control_point_locations: Any,
    interpolation_order: int = 2,
    regularization_weight: float = 0.0,
    num_boundary_points: int = 0,
    name: str = "sparse_image_warp",
) -> tuple[Any, Any]:
    """Warps images so that control points move to their destinations; a spline interpolates the flow between them.

    Args:
        image: `[batch, height, width, channels]` float tensor of known shape.
        source_control_point_locations: `[batch, points, 2]` float tensor of (row, column), in pixels.
        dest_control_point_locations: `[batch, points, 2]` float tensor of the points' destinations; with boundary
            points, `batch` is known.
        interpolation_order: Order of the spline: 1 for linear, 2 for thin plate splines, and so on.
        regularization_weight: Weight of the smoothness; 0 for a spline through all points.
        num_boundary_points: Number of fixed points on each edge: 1 fixes the corners, 2 also the middle of each edge;
            0 lets the edges move.
        name: Name scope.

    Returns:
        The warped images, `[batch, height, width, channels]`, and the flow that warps them, `[batch, height, width, 2]`
        offsets of rows and columns, in pixels (`dense_image_warp`).
    """
    image = tf.convert_to_tensor(image)
    sources, destinations = map(tf.convert_to_tensor, (source_control_point_locations, dest_control_point_locations))
    flows = destinations - sources
    with tf.name_scope(name):
        batch, height, width, _ = image.shape.as_list()
        pixels = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), -1).reshape([-1, 2])
        if num_boundary_points > 0:
            edge = _edge(height, width, num_boundary_points - 1)
            fixed = tf.constant(np.tile(edge, [destinations.shape.as_list()[0], 1, 1]), destinations.dtype)
            destinations = tf.concat([destinations, fixed], 1)
            flows = tf.concat([flows, tf.zeros_like(fixed)], 1)
        queries = tf.constant(np.tile(pixels, [batch, 1, 1]), image.dtype)
        dense = interpolate_spline(destinations, flows, queries, interpolation_order, regularization_weight)
        dense = tf.reshape(dense, [batch, height, width, 2])
        return dense_image_warp(image, dense), dense


def _edge(height: int, width: int, between: int) -> Any:
    """Returns points on an image's edge: its corners, and `between` points on each side."""
    rows, columns = (np.linspace(0, size - 1, between + 2) for size in (height, width))
    ys, xs = np.meshgrid(rows, columns, indexing="ij")  # type: ignore[var-annotated]
    on_edge = (xs == 0) | (xs == width - 1) | (ys == 0) | (ys == height - 1)
    return np.stack([ys[on_edge], xs[on_edge]], axis=-1)
