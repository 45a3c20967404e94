# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Accumulated gradient normalization: workers whose gradients meet now and then (arXiv:1710.02368)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._workers import GLOBAL_VARIABLE_NAME, Companions, InitHook, local_step

__all__ = ["GLOBAL_VARIABLE_NAME", "GRAD_VARIABLE_NAME", "AGNCustomGetter", "AGNOptimizer"]

GRAD_VARIABLE_NAME = "grad_variable"


class AGNCustomGetter(Companions):
    """For variable scopes: each trainable variable is a worker's own, and has a center, global, and a sum of gradients.

    Args:
        worker_device: Where the worker's own are.
    """

    def __init__(self, worker_device: str) -> None:
        super().__init__(worker_device, GRAD_VARIABLE_NAME)
        self._grad_map = self._other_map


class AGNOptimizer(tf.train.Optimizer):
    """Trains a worker's variables, sums up their gradients, and applies the sums to the centers now and then.

    Args:
        optimizer: The optimizer of all steps.
        num_worker: How many workers there are.
        custom_getter: The getter that the variables were made by.
        communication_period: After how many steps the centers move.
        use_locking: Whether updates are locked.
        name: Of the optimizer.
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
        """Applies them to the worker's variables, and their sums to the centers if it is time."""
        gradients = [(grad, var) for grad, var in grads_and_vars if grad is not None]
        trained = [var for _, var in gradients]
        sums = [self._grad_map[var] for var in trained]
        centers = [self._global_map[var] for var in trained]
        with tf.variable_creator_scope(_locally):
            updates = [self._opt.apply_gradients(grads_and_vars)]
        updates += [tf.assign_add(total, grad) for total, (grad, _) in zip(sums, gradients)]

        def move() -> Any:
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

        counted = tf.assign_add(self._local_step, 1, name="local_step_update").op
        with tf.control_dependencies([counted]):
            is_time = tf.equal(tf.mod(self._local_step, self._period), 0)
        with tf.control_dependencies(updates):
            return tf.cond(is_time, move, tf.no_op)

    def get_init_op(self, task_index: int) -> Any:
        """An op that sets a worker's variables to the centers, and the sums to zero.

        Args:
            task_index: Of the worker.
        """
        trained = tf.trainable_variables()
        if not trained:
            raise ValueError("There is no variable to initialize: make the model before its init op")
        sums = [self._grad_map[var] for var in trained]
        updates = [tf.assign(var, self._global_map[var]) for var in trained]
        return tf.group(*updates, *[tf.assign(total, tf.zeros_like(total)) for total in sums])

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> InitHook:
        """A hook for a worker's session."""
        return InitHook(self, is_chief, task_index)


def _locally(next_creator: Any, collections: Any = None, **kwargs: Any) -> Any:
    """Makes a variable a local one."""
    own = [key for key in collections or () if key != tf.GraphKeys.GLOBAL_VARIABLES]
    if not collections or len(own) < len(collections):
        own.append(tf.GraphKeys.LOCAL_VARIABLES)
    return next_creator(collections=own, **kwargs)
