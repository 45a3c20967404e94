# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Accumulated gradient normalization; Hermans et al. 2017, arXiv:1710.02368."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._workers import GLOBAL_VARIABLE_NAME, InitHook, LocalAndGlobalGetter, local_step

__all__ = ["GLOBAL_VARIABLE_NAME", "GRAD_VARIABLE_NAME", "AGNCustomGetter", "AGNOptimizer"]

GRAD_VARIABLE_NAME = "grad_variable"


class AGNCustomGetter(LocalAndGlobalGetter):
    """Custom getter for `AGNOptimizer`.

    It gives each trainable variable a global center and a gradient sum, of the same shape.

    Args:
        worker_device: Device of the worker's variables.
    """

    def __init__(self, worker_device: str) -> None:
        super().__init__(worker_device, GRAD_VARIABLE_NAME)
        self._grad_map = self._other_map


class AGNOptimizer(tf.train.Optimizer):
    """Trains a worker's variables, and periodically applies their mean gradients to the global variables (centers).

    Hermans et al. 2017, arXiv:1710.02368.

    Args:
        optimizer: Optimizer that applies gradients to the worker's variables and to the centers.
        num_worker: Number of workers.
        custom_getter: The custom getter that made the variables.
        communication_period: Number of steps between updates of the centers; 10 by default.
        use_locking: True to lock variables during updates.
        name: Name of the optimizer.
    """

    def __init__(
        self,
        optimizer: Any,
        num_worker: int,
        custom_getter: AGNCustomGetter,
        communication_period: int = 10,
        use_locking: bool = True,
        name: str = "AGNOptimizer",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = optimizer
        self._num_worker = num_worker
        self._period = communication_period
        self._global_map = custom_getter._global_map
        self._grad_map = custom_getter._grad_map
        self._local_step = local_step()
        self._opt._prepare()

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """Returns an op that applies gradients to the worker's variables, and periodically their means to the centers.

        Args:
            grads_and_vars: (gradient, variable) pairs of equal shape.
            global_step: Step variable; incremented when the centers are updated.
            name: Ignored.
        """
        gradients = [(grad, var) for grad, var in grads_and_vars if grad is not None]
        trained = [var for _, var in gradients]
        sums = [self._grad_map[var] for var in trained]
        centers = [self._global_map[var] for var in trained]
        with tf.variable_creator_scope(_make_local):
            updates = [self._opt.apply_gradients(grads_and_vars)]
        updates += [tf.assign_add(total, grad) for total, (grad, _) in zip(sums, gradients)]

        def move() -> Any:
            """Returns an op that moves the centers by mean gradients (of their shapes), and the worker to them."""
            means = [tf.assign(total, total / self._period) for total in sums]
            with tf.control_dependencies(means):
                applied = self._opt.apply_gradients(zip(sums, centers))
            with tf.control_dependencies([applied]):
                after = []
                if global_step is not None:
                    with tf.colocate_with(global_step):
                        after.append(tf.assign_add(global_step, 1))
                after += [tf.assign(var, center.read_value()) for var, center in zip(trained, centers)]
                after += [tf.assign(total, tf.zeros_like(total)) for total in sums]
                return tf.group(*after)

        count_step = tf.assign_add(self._local_step, 1, name="local_step_update").op
        with tf.control_dependencies([count_step]):
            is_time = tf.equal(tf.mod(self._local_step, self._period), 0)
        with tf.control_dependencies(updates):
            return tf.cond(is_time, move, tf.no_op)

    def get_init_op(self, task_index: int) -> Any:
        """Returns an op that sets a worker's variables to the centers (of their shapes), and their gradient sums to 0.

        Args:
            task_index: Index of the worker.

        Raises:
            ValueError: There are no trainable variables.
        """
        trained = tf.trainable_variables()
        if not trained:
            raise ValueError("There are no variables to initialize. Build the model before its init op")
        sums = [self._grad_map[var] for var in trained]
        updates = [tf.assign(var, self._global_map[var]) for var in trained]
        return tf.group(*updates, *[tf.assign(total, tf.zeros_like(total)) for total in sums])

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> InitHook:
        """Returns the hook that sets a worker's variables to the centers, of their shapes, when its session starts.

        Args:
            is_chief: True if this worker initializes the global variables.
            task_index: Index of the worker.
        """
        return InitHook(self, is_chief, task_index)


def _make_local(next_creator: Any, collections: Any = None, **kwargs: Any) -> Any:
    """Returns a new variable, in the collection LOCAL_VARIABLES in place of GLOBAL_VARIABLES."""
    local_collections = [key for key in collections or () if key != tf.GraphKeys.GLOBAL_VARIABLES]
    if not collections or len(local_collections) < len(collections):
        local_collections.append(tf.GraphKeys.LOCAL_VARIABLES)
    return next_creator(collections=local_collections, **kwargs)
