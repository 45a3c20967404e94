# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Matrix roots by iteration."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def matrix_square_root(mat_a: Any, mat_a_size: Any, iter_count: int = 100, ridge_epsilon: float = 1e-4) -> Any:
    """Returns the square root of a positive semi-definite matrix, by the Newton-Schulz iteration.

    Higham 1997, "Stable iterations for the matrix square root".

    Args:
        mat_a: `[size, size]` float32 matrix.
        mat_a_size: Number of rows.
        iter_count: Maximum number of iterations; 100 by default.
        ridge_epsilon: Added to the diagonal; 1e-4 by default.

    Returns:
        `[mat_a_size, mat_a_size]` float32 matrix.
    """
    identity = tf.eye(tf.cast(mat_a_size, tf.int32))
    mat_a = mat_a + ridge_epsilon * identity
    norm = tf.sqrt(tf.reduce_sum(mat_a * mat_a))

    def is_better(i: Any, y: Any, y_before: Any, z: Any, error: Any, error_before: Any) -> Any:
        """Returns True, of shape `[]`, while the error decreases."""
        return tf.logical_and(i < iter_count, error < error_before)

    def step(i: Any, y: Any, y_before: Any, z: Any, error: Any, error_before: Any) -> Any:
        """Returns the loop variables after a Newton-Schulz step; the matrices have the shape `[size, size]`."""
        correction = 0.5 * (3.0 * identity - tf.matmul(z, y))
        next_y, next_z = tf.matmul(y, correction), tf.matmul(correction, z)
        root = next_y * tf.sqrt(norm)
        residual = mat_a - tf.matmul(root, root)
        next_error = tf.sqrt(tf.reduce_sum(residual * residual)) / norm
        return i + 1, next_y, y, next_z, next_error, error

    start = mat_a / norm
    # The result is the matrix before the last step: the loop ends when a step has increased the error.
    _, _, root, _, _, _ = tf.while_loop(is_better, step, [0, start, start, identity, norm, norm + 1.0])
    return root * tf.sqrt(norm)


def matrix_inverse_pth_root(
    mat_g: Any,
    mat_g_size: Any,
    alpha: float,
    iter_count: int = 100,
    epsilon: float = 1e-6,
    ridge_epsilon: float = 1e-6,
) -> Any:
    """Returns a positive semi-definite matrix to the power `alpha = -1 / p`, by a coupled Newton iteration.

    Guo and Higham 2006, "A Schur-Newton method for the matrix p-th root and its inverse".

    Args:
        mat_g: `[size, size]` float32 matrix.
        mat_g_size: Number of rows.
        alpha: The power.
        iter_count: Maximum number of iterations; 100 by default.
        epsilon: Error at which the iteration ends.
        ridge_epsilon: Added to the diagonal.

    Returns:
        `[mat_g_size, mat_g_size]` float32 matrix.

    Raises:
        AssertionError: `-1 / alpha` is no natural number.
    """
    if mat_g_size == 1:
        return tf.pow(mat_g + ridge_epsilon, alpha)
    identity = tf.eye(tf.cast(mat_g_size, tf.int32))

    def is_far(i: Any, m: Any, root: Any) -> Any:
        """Returns True, of shape `[]`, while the error exceeds `epsilon`."""
        return tf.logical_and(i < iter_count, tf.reduce_max(tf.abs(m - identity)) > epsilon)

    def step(i: Any, m: Any, root: Any) -> Any:
        """Returns the loop variables after a Newton step; the matrices have the shape `[size, size]`."""
        correction = (1 - alpha) * identity + alpha * m
        return i + 1, tf.matmul(_power(correction, -1.0 / alpha), m), tf.matmul(root, correction)

    damped = mat_g + ridge_epsilon * identity
    scale = (1 - 1 / alpha) / (2 * tf.norm(damped))
    _, _, root = tf.while_loop(is_far, step, [0, damped * scale, identity * tf.pow(scale, -alpha)])
    return root


def _power(matrix: Any, p: float) -> Any:
    if p != int(p) or p <= 0:
        raise AssertionError(f"alpha has to be -1 / p for a natural number p, but p is {p}")
    if p == 1:
        return matrix
    half = _power(tf.matmul(matrix, matrix), p // 2)
    return tf.matmul(matrix, half) if p % 2 else half
