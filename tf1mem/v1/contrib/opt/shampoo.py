# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Shampoo: a preconditioner for each axis of a variable; Gupta et al. 2018, arXiv:1802.09568."""

from __future__ import annotations

import logging
from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt import matrix_functions

_LOG = logging.getLogger("tensorflow")


def GetParam(var: Any, timestep: Any) -> Any:  # noqa: N802
    """Returns a hyperparameter, of shape `[]`.

    Args:
        var: A number or tensor, or a function of the step that returns one.
        timestep: Number of the training step, a scalar tensor (shape `[]`).
    """
    return var(timestep) if callable(var) else var


class ShampooOptimizer(tf.train.Optimizer):
    """Preconditions gradients with a matrix for each axis; Gupta et al. 2018, arXiv:1802.09568.

    Args:
        global_step: Number of steps so far: a variable, a tensor or a number.
        max_matrix_size: Size above which an axis has a diagonal in place of a matrix; 768 by default.
        gbar_decay: Decay of the averaged gradient: a number, or a function of the step, as are the next four arguments,
            `precond_update_interval` and `alpha`.
        gbar_weight: Weight of a new gradient in the average.
        mat_gbar_decay: Decay of the matrices; 1 by default. A sparse gradient of a variable with more than
            `max_matrix_size` rows needs 1 if `gbar_decay` is 0.
        mat_gbar_weight: Weight of the gradient's product with itself in the matrices.
        learning_rate: Learning rate.
        svd_interval: Number of steps between computations of the matrices' powers.
        precond_update_interval: Number of steps between updates of the matrices.
        epsilon: Added to the diagonals of the matrices.
        alpha: Power of the matrices, divided by the variable's rank; 0.5 by default.
        use_iterative_root: True to compute powers by iteration, False by SVD.
        use_locking: True to lock variables during updates.
        name: Name of the optimizer.
    """

    def __init__(
        self,
        global_step: Any = 0,
        max_matrix_size: int = 768,
        gbar_decay: Any = 0.0,
        gbar_weight: Any = 1.0,
        mat_gbar_decay: Any = 1.0,
        mat_gbar_weight: Any = 1.0,
        learning_rate: Any = 1.0,
        svd_interval: Any = 1,
        precond_update_interval: Any = 1,
        epsilon: float = 1e-4,
        alpha: Any = 0.5,
        use_iterative_root: bool = False,
        use_locking: bool = False,
        name: str = "Shampoo",
    ) -> None:
        super().__init__(use_locking, name)
        self._global_step = tf.cast(global_step, tf.float32)
        self._max_matrix_size = max_matrix_size
        self._gbar_decay = gbar_decay
        self._gbar_weight = gbar_weight
        self._mat_gbar_decay = mat_gbar_decay
        self._mat_gbar_weight = mat_gbar_weight
        self._learning_rate = learning_rate
        self._svd_interval = svd_interval
        self._precond_update_interval = precond_update_interval
        self._epsilon = epsilon
        self._alpha = alpha
        self._use_iterative_root = use_iterative_root

    def _create_slots(self, var_list: Any) -> None:
        for var in var_list:
            with tf.colocate_with(var):
                self._zeros_slot(var, "gbar", self._name)
                for i, size in enumerate(var.get_shape().as_list()):
                    start = tf.zeros([size])
                    if size <= self._max_matrix_size:
                        start = tf.zeros([size, size])
                        if self._svd_interval > 1:
                            self._get_or_make_slot(var, tf.eye(size), f"H_{i}", self._name)
                    self._get_or_make_slot(var, start, f"Gbar_{i}", self._name)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self._apply_gradient(grad, var)

    _resource_apply_dense = _apply_dense

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        if var.get_shape().as_list()[0] > self._max_matrix_size and self._gbar_decay == 0.0:
            return self._apply_gradient(grad, var, indices)
        shape = tf.shape(var, out_type=indices.dtype)
        return self._apply_gradient(tf.scatter_nd(tf.expand_dims(indices, axis=1), grad, shape), var)

    def _decayed_sum(self, var: Any, decay: Any, decay_t: Any, new: Any) -> Any:
        """Assigns `decay * var + new` to a slot, and returns it; returns `new` alone if `decay` is 0.

        Args:
            var: The slot.
            decay: The optimizer's argument: a number, or a function of the step.
            decay_t: The value of `decay` at the current step.
            new: Tensor of the slot's shape.
        """
        if decay == 0.0:
            return new
        return tf.assign_add(var, new if decay == 1.0 else (decay_t - 1) * var + new)

    def _update_mat_g(self, mat_g: Any, grad: Any, axes: Any, decay: Any, weight: Any, i: int) -> Any:
        """Returns axis i's averaged `[size, size]` matrix after adding the product of the gradient with itself."""
        product = tf.tensordot(grad, grad, axes=(axes, axes), name=f"grad_outer_{i}")
        return self._decayed_sum(mat_g, self._mat_gbar_decay, decay, weight * product)

    def _compute_power(self, var: Any, mat_g: Any, size: int, alpha: Any, slot: str | None = None) -> Any:
        """Returns a matrix to the power `alpha`, assigned to the slot if there is one."""
        with tf.name_scope("matrix_iterative_power"):
            compute = self._compute_power_iter if self._use_iterative_root else self._compute_power_svd
            power = compute(mat_g, size, alpha)
            return power if slot is None else tf.assign(self.get_slot(var, slot), power)

    def _compute_power_svd(self, mat_g: Any, size: int, alpha: Any) -> Any:
        if size == 1:
            return tf.pow(mat_g + self._epsilon, alpha)
        values, u, v = tf.svd(mat_g + self._epsilon * tf.eye(size), full_matrices=True)
        return tf.matmul(v * tf.pow(tf.maximum(values, self._epsilon), alpha), tf.transpose(u))

    def _compute_power_iter(self, mat_g: Any, size: int, alpha: Any) -> Any:
        # The functions iterate at most 100 times.
        root = matrix_functions.matrix_square_root(mat_g, size, 100, self._epsilon)
        return matrix_functions.matrix_inverse_pth_root(root, size, 2 * alpha, 100, 1e-6, ridge_epsilon=0.0)

    def _apply_gradient(self, grad: Any, var: Any, indices: Any = None) -> Any:
        """Returns the op that subtracts the preconditioned gradient from a variable.

        Args:
            grad: Gradient of the variable's shape, or its rows at `indices`.
            var: Variable.
            indices: Rows of the variable that a sparse gradient has; None for a dense one.
        """
        step = self._global_step + 1

        def current(value: Any) -> Any:
            """Returns a hyperparameter, of shape `[]`, at the current step."""
            return GetParam(value, step)

        if indices is None:
            gbar = self.get_slot(var, "gbar")
            new = current(self._gbar_weight) * grad
            direction = self._decayed_sum(gbar, self._gbar_decay, current(self._gbar_decay), new)
        else:
            if self._gbar_decay != 0.0:
                _LOG.warning("%s gets no momentum because its gradient is sparse", var.name)
            direction = grad
        shape = var.get_shape().as_list()
        rank = len(shape)
        power = -current(self._alpha) / rank
        decay, weight = current(self._mat_gbar_decay), current(self._mat_gbar_weight)
        for i, size in enumerate(shape):
            mat_g = self.get_slot(var, f"Gbar_{i}")
            axes = [axis for axis in range(rank) if axis != i]
            if size <= self._max_matrix_size:
                mat_h = self._axis_preconditioner(var, grad, mat_g, axes, decay, weight, power, size, i, step)
                direction = tf.tensordot(direction, mat_h, axes=([0], [0]), name=f"precond_{i}")
                continue
            squares = grad * grad
            if axes:
                # As in TensorFlow 1.15, only the sums over a dense gradient are divided by the size of the axis.
                squares = tf.reduce_sum(squares, axis=axes) / (float(size) if indices is None else 1.0)
            if i == 0 and indices is not None:
                if self._mat_gbar_decay != 1.0:
                    raise AssertionError("Shampoo's mat_gbar_decay has to be 1 for sparse gradients")
                mat_g = tf.gather(tf.scatter_add(mat_g, indices, weight * squares), indices)
            else:
                mat_g = self._decayed_sum(mat_g, self._mat_gbar_decay, decay, weight * squares)
            diagonal = tf.where(tf.greater(mat_g, 0), tf.pow(mat_g, power), tf.zeros_like(mat_g))
            direction = tf.transpose(direction, perm=[*range(1, rank), 0]) * diagonal
        rate = current(self._learning_rate)
        if indices is not None:
            return tf.scatter_add(var, indices, -rate * direction)
        return tf.assign_sub(var, rate * direction)

    def _axis_preconditioner(
        self,
        var: Any,
        grad: Any,
        mat_g: Any,
        axes: list[int],
        decay: Any,
        weight: Any,
        power: Any,
        size: int,
        i: int,
        step: Any,
    ) -> Any:
        """Returns the `[size, size]` preconditioner of an axis, after the updates that are due at this step.

        Args:
            var: Variable.
            grad: Gradient, as in `_apply_gradient`.
            mat_g: The axis's `[size, size]` matrix, a slot.
            axes: All axes but this one.
            decay: Decay of the matrix.
            weight: Weight of the gradient's product with itself.
            power: Power of the matrix.
            size: Size of the axis.
            i: Index of the axis.
            step: Number of the current step, from 1.
        """
        interval = GetParam(self._precond_update_interval, step)
        mat_g = tf.cond(
            tf.mod(step, interval) < 1,
            lambda: self._update_mat_g(mat_g, grad, axes, decay, weight * interval, i),
            lambda: mat_g,
        )
        mean = mat_g / float(size)
        if self._svd_interval == 1:
            return self._compute_power(var, mean, size, power)
        return tf.cond(
            tf.mod(step, GetParam(self._svd_interval, step)) < 1,
            lambda: self._compute_power(var, mean, size, power, f"H_{i}"),
            lambda: self.get_slot(var, f"H_{i}"),
        )
