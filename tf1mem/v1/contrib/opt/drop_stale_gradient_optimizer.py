# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""An optimizer that drops stale gradients."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


class DropStaleGradientOptimizer(tf.train.Optimizer):
    """Drops gradients (of any shape) that were computed too many global steps ago.

    Args:
        opt: Optimizer that applies the other gradients.
        staleness: Maximum age of a gradient, in global steps.
        use_locking: True to lock variables during updates.
        name: Name of the optimizer.
    """

    def __init__(self, opt: Any, staleness: int, use_locking: bool = False, name: str = "DropStaleGradient") -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._staleness = staleness

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns (gradient, variable) pairs, of equal shape; records the global step before the gradients."""
        with tf.colocate_with(loss):
            self._local_step = tf.train.get_global_step() + 0
        with tf.control_dependencies([self._local_step]):
            return self._opt.compute_gradients(tf.identity(loss), *args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns a slot of the wrapped optimizer, of the variable's shape."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the names of the wrapped optimizer's slots; each slot has its variable's shape."""
        return self._opt.get_slot_names(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """Returns an op that applies recent gradients, or drops stale ones and increments the variable "stale_counter".

        Args:
            grads_and_vars: (gradient, variable) pairs of equal shape.
            global_step: Step variable.
            name: Name of the op.
        """
        with tf.colocate_with(global_step):
            counter = tf.get_variable("stale_counter", [], initializer=tf.zeros_initializer(), trainable=False)

        def accept() -> Any:
            """Applies the gradients; returns 0 (shape `[]`), the number of dropped gradients."""
            applied = self._opt.apply_gradients(grads_and_vars, global_step=global_step, name=name)
            with tf.control_dependencies([applied]):
                return tf.identity(0.0)

        computed = [grad.op for grad, _ in grads_and_vars if grad is not None]
        with tf.control_dependencies(computed), tf.colocate_with(global_step):
            staleness = tf.reshape(global_step - self._local_step, shape=())
        dropped = tf.cond(tf.less_equal(staleness, self._staleness), accept, lambda: tf.identity(1.0))
        update = counter.assign_add(dropped)
        share = counter / tf.cast(global_step + 1, tf.float32)
        tf.summary.scalar("Gradient staleness percentage", share)
        return update
