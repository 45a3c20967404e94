# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Polyharmonic spline interpolation (tf.contrib.image)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf

# Squared distances are clipped at this minimum, so that the gradients of their logarithms and roots are finite.
_MIN_SQUARED_DISTANCE = 1e-10


def interpolate_spline(
    train_points: Any,
    train_values: Any,
    query_points: Any,
    order: int,
    regularization_weight: float = 0.0,
    name: str = "interpolate_spline",
) -> Any:
    """Interpolates values at query points by a polyharmonic spline through the training points.

    Args:
        train_points: `[batch, points, dimensions]` float tensor, the points where the values are known.
        train_values: `[batch, points, values]` float tensor, the values there.
        query_points: `[batch, queries, dimensions]` float tensor.
        order: Order of the spline: 1 for linear, 2 for thin plate splines, and so on.
        regularization_weight: Weight of the smoothness; 0, the default, for a spline through all points.
        name: Name scope.

    Returns:
        `[batch, queries, values]` float tensor.

    Raises:
        ValueError: The number of dimensions or of values is unknown.
    """
    with tf.name_scope(name):
        points, values, queries = map(tf.convert_to_tensor, (train_points, train_values, query_points))
        dimensions, outputs = points.shape.as_list()[-1], values.shape.as_list()[-1]
        if dimensions is None:
            raise ValueError("train_points: the size of its last dimension isn't known. Set its shape.")
        if outputs is None:
            raise ValueError("train_values: the size of its last dimension isn't known. Set its shape.")
        batch, number = tf.unstack(tf.shape(points)[:2])
        with tf.name_scope("solve"):
            # Solves for the weights of the radial terms and of a linear term. The last rows make the radial weights
            # orthogonal to the linear functions of the points, so that there is a single solution.
            radial = _radial(_squared_distances(points, points), order)
            if regularization_weight > 0:
                radial += regularization_weight * tf.eye(number, dtype=points.dtype)[None]
            linear = _with_one(points)
            zero_block = tf.zeros([batch, dimensions + 1, dimensions + 1], points.dtype)
            left_columns = tf.concat([radial, tf.transpose(linear, [0, 2, 1])], 1)
            right_columns = tf.concat([linear, zero_block], 1)
            right_hand_side = tf.concat([values, tf.zeros([batch, dimensions + 1, outputs], points.dtype)], 1)
            weights = tf.matrix_solve(tf.concat([left_columns, right_columns], 2), right_hand_side)
        with tf.name_scope("predict"):
            radial_part = tf.matmul(_radial(_squared_distances(queries, points), order), weights[:, :number])
            return radial_part + tf.matmul(_with_one(queries), weights[:, number:])


def _with_one(points: Any) -> Any:
    """Returns the points with a further coordinate of 1, for the constant term of the linear function."""
    return tf.concat([points, tf.ones_like(points[..., :1])], 2)


def _squared_distances(points: Any, others: Any) -> Any:
    """Returns the squared distance of each point to each of the others, `[batch, points, others]`."""
    lengths, other_lengths = (tf.reduce_sum(tf.square(each), 2) for each in (points, others))
    return lengths[:, :, None] - 2 * tf.matmul(points, others, adjoint_b=True) + other_lengths[:, None, :]


def _radial(squares: Any, order: int) -> Any:
    """Returns the radial basis function of distances, computed from their squares; of the shape of `squares`."""
    with tf.name_scope("phi"):
        clipped = tf.maximum(squares, _MIN_SQUARED_DISTANCE)
        if order == 1:
            return tf.sqrt(clipped)
        if order == 2:
            return 0.5 * squares * tf.log(clipped)
        if order == 4:
            return 0.5 * tf.square(squares) * tf.log(clipped)
        power = tf.pow(clipped, 0.5 * order)
        return 0.5 * power * tf.log(clipped) if order % 2 == 0 else power
