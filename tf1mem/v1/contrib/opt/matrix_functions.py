# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Roots of matrices, by iteration."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def matrix_square_root(mat_a: Any, mat_a_size: Any, iter_count: int = 100, ridge_epsilon: float = 1e-4) -> Any:
    """The square root of a positive semi-definite matrix, by Newton and Schulz.

    Args:
        mat_a: The matrix.
        mat_a_size: How many rows it has.
        iter_count: How many steps at most.
        ridge_epsilon: What is added to its diagonal.
    """
    identity = tf.eye(tf.cast(mat_a_size, tf.int32))
    mat_a = mat_a + ridge_epsilon * identity
    size = tf.sqrt(tf.reduce_sum(mat_a * mat_a))

    def better(i: Any, y: Any, y_before: Any, z: Any, error: Any, error_before: Any) -> Any:
        return tf.logical_and(i < iter_count, error < error_before)

    def step(i: Any, y: Any, y_before: Any, z: Any, error: Any, error_before: Any) -> Any:
        turn = 0.5 * (3.0 * identity - tf.matmul(z, y))
        next_y, next_z = tf.matmul(y, turn), tf.matmul(turn, z)
        root = next_y * tf.sqrt(size)
        residual = mat_a - tf.matmul(root, root)
        next_error = tf.sqrt(tf.reduce_sum(residual * residual)) / size
        return i + 1, next_y, y, next_z, next_error, error

    start = mat_a / size
    # The last step made it worse, so the one before is taken.
    _, _, root, _, _, _ = tf.while_loop(better, step, [0, start, start, identity, size, size + 1.0])
    return root * tf.sqrt(size)


def matrix_inverse_pth_root(
    mat_g: Any,
    mat_g_size: Any,
    alpha: float,
    iter_count: int = 100,
    epsilon: float = 1e-6,
    ridge_epsilon: float = 1e-6,
) -> Any:
    """A positive semi-definite matrix to the power `alpha`, which is -1 / p, by Newton.

    Args:
        mat_g: The matrix.
        mat_g_size: How many rows it has.
        alpha: The power.
        iter_count: How many steps at most.
        epsilon: How near is near enough.
        ridge_epsilon: What is added to its diagonal.
    """
    if mat_g_size == 1:
        return tf.pow(mat_g + ridge_epsilon, alpha)
    identity = tf.eye(tf.cast(mat_g_size, tf.int32))

    def far(i: Any, m: Any, root: Any) -> Any:
        return tf.logical_and(i < iter_count, tf.reduce_max(tf.abs(m - identity)) > epsilon)

    def step(i: Any, m: Any, root: Any) -> Any:
        turn = (1 - alpha) * identity + alpha * m
        return i + 1, tf.matmul(_power(turn, -1.0 / alpha), m), tf.matmul(root, turn)

    damped = mat_g + ridge_epsilon * identity
    scale = (1 - 1 / alpha) / (2 * tf.norm(damped))
    _, _, root = tf.while_loop(far, step, [0, damped * scale, identity * tf.pow(scale, -alpha)])
    return root


def _power(matrix: Any, p: float) -> Any:
    if p != int(p) or p <= 0:
        raise AssertionError(f"alpha has to be -1 / p for a natural number p, and p is {p}")
    if p == 1:
        return matrix
    half = _power(tf.matmul(matrix, matrix), p // 2)
    return tf.matmul(matrix, half) if p % 2 else half
