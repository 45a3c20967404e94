# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""A wrapper of an optimizer that limits the norms of variables (tf.contrib.opt)."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import Any, Iterator

import tf1mem.v1 as tf

_LOG = logging.getLogger("tensorflow")


class VariableClippingOptimizer(tf.train.Optimizer):
    """Clips variables (of any shape) by their norms after each step.

    Args:
        opt: Optimizer that takes the step.
        vars_to_clip_dims: Dict of a variable -> list of the axes that its norm is computed over; others aren't clipped.
        max_norm: Maximum Euclidean norm.
        use_locking: True to lock variables during updates.
        colocate_clip_ops_with_vars: True to compute everything on the variable's device.
        name: Name of the optimizer.
    """

    def __init__(
        self,
        opt: Any,
        vars_to_clip_dims: Any,
        max_norm: float,
        use_locking: bool = False,
        colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._vars_to_clip_dims = {var: dims[:] for var, dims in vars_to_clip_dims.items()}
        self._max_norm = max_norm
        self._colocate_clip_ops_with_vars = colocate_clip_ops_with_vars

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the wrapped optimizer's (gradient, variable) pairs, of equal shape."""
        return self._opt.compute_gradients(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns a slot of the wrapped optimizer, of the variable's shape."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the names of the wrapped optimizer's slots; each slot has its variable's shape."""
        return self._opt.get_slot_names(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """Returns an op that applies gradients, and then clips the variables.

        Args:
            grads_and_vars: (gradient, variable) pairs of equal shape. If a gradient is IndexedSlices, only the rows
                that it contains are clipped, unless the norm is computed over axis 0.
            global_step: Step variable, which is incremented.
            name: Name scope.
        """
        with tf.name_scope(name, self._name) as scope:
            updates = [self._opt.apply_gradients(grads_and_vars, global_step=global_step)]
            with tf.control_dependencies(updates[:1]):
                for grad, var in grads_and_vars:
                    if grad is None or var not in self._vars_to_clip_dims:
                        continue
                    with tf.name_scope("clip_" + var.op.name):
                        is_sparse = isinstance(grad, tf.IndexedSlices)
                        updates.append(self._clip_sparse(grad, var) if is_sparse else self._clip_dense(var))
            return tf.group(*updates, name=scope)

    def _clip_dense(self, var: Any) -> Any:
        with self._maybe_colocate_with(var):
            value = var.read_value()
            excess = value - tf.clip_by_norm(value, self._max_norm, self._vars_to_clip_dims[var])
        with tf.colocate_with(var):
            return var.assign_sub(excess, use_locking=self._use_locking)

    def _clip_sparse(self, grad: Any, var: Any) -> Any:
        """Returns an op that clips the rows that have a gradient, or all rows if the norm is computed over axis 0."""
        dims = self._vars_to_clip_dims[var]
        if 0 in dims:
            _LOG.warning("%s is clipped over axes %s: all rows, although its gradient is sparse", var.op.name, dims)
            return self._clip_dense(var)
        with tf.colocate_with(var):
            rows = tf.gather(var, grad.indices)
        with self._maybe_colocate_with(var):
            clipped = tf.clip_by_norm(rows, self._max_norm, dims)
            excess = tf.IndexedSlices(rows - clipped, grad.indices, grad.dense_shape)
        with tf.colocate_with(var):
            return var.scatter_sub(excess, use_locking=self._use_locking)

    @contextmanager
    def _maybe_colocate_with(self, var: Any) -> Iterator[None]:
        if self._colocate_clip_ops_with_vars:
            with tf.colocate_with(var):
                yield
        else:
            yield
