# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Elastic averaging: workers that are drawn to a center (arXiv:1412.6651)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.training.saving.saveable_object_util import op_list_to_dict

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._workers import GLOBAL_VARIABLE_NAME, Companions, InitHook, local_step, on_worker

LOCAL_VARIABLE_NAME = "local_center_variable"


class ElasticAverageCustomGetter(Companions):
    """For variable scopes: each trainable variable is a worker's own, and has a center, global, and a local copy of it.

    Args:
        worker_device: Where the worker's own are.
    """

    def __init__(self, worker_device: str) -> None:
        super().__init__(worker_device, LOCAL_VARIABLE_NAME)
        self._local_map = self._other_map

    def _not_trained(self, getter: Any, name: str, collections: Any, *args: Any, **kwargs: Any) -> Any:
        return on_worker(self._worker_device, getter, name, collections, *args, **kwargs)


class ElasticAverageOptimizer(tf.train.Optimizer):
    """Trains a worker's variables, which the center draws to itself, and moves the center.

    Args:
        opt: The optimizer of the worker's own steps.
        num_worker: How many workers there are.
        ea_custom_getter: The getter that the variables were made by.
        communication_period: After how many steps the center moves.
        moving_rate: How far; 0.9 divided by period and workers by default.
        rho: How strongly the center draws; the moving rate divided by the learning rate by default.
        use_locking: Whether updates are locked.
        synchronous: Whether workers wait for each other at the start.
        name: Of the optimizer.
    """

    BETA = 0.9

    def __init__(
        self,
        opt: Any,
        num_worker: int,
        ea_custom_getter: ElasticAverageCustomGetter,
        communication_period: int = 10,
        moving_rate: Any = None,
        rho: Any = None,
        use_locking: bool = True,
        synchronous: bool = False,
        name: str = "ElasticAverageOptimizer",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._num_worker = num_worker
        self._period = communication_period
        self._local_map = ea_custom_getter._local_map
        self._global_map = ea_custom_getter._global_map
        self._synchronous = synchronous
        self._moving_rate = self.BETA / communication_period / num_worker if moving_rate is None else moving_rate
        self._rho = self._moving_rate / self._opt._learning_rate if rho is None else rho
        self._local_step = local_step()
        self._opt._prepare()

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: Any = tf.train.Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> Any:
        """As an optimizer's, for the loss and the distance to the center."""
        var_list = var_list or tf.trainable_variables()
        centers = [self._local_map[var] for var in var_list]
        distances = [tf.subtract(var, center) for var, center in zip(tf.trainable_variables(), centers)]
        total = loss + self._rho * tf.add_n([tf.nn.l2_loss(distance) for distance in distances])
        return self._opt.compute_gradients(
            total, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
        )

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """Applies them, and moves the center if it is time."""
        before = set(tf.global_variables())
        applied = self._opt.apply_gradients(grads_and_vars)
        _make_local(set(tf.global_variables()) - before)
        with tf.control_dependencies([applied]):
            counted = tf.assign_add(self._local_step, 1, name="local_step_update").op
        trained = [var for grad, var in grads_and_vars if grad is not None]

        def move() -> Any:
            centers = [self._global_map[var] for var in trained]
            copies = [self._local_map[var] for var in trained]
            copied = [copy.assign(center) for copy, center in zip(copies, centers)]
            with tf.control_dependencies(copied):
                ways = []
                for var, copy in zip(trained, copies):
                    with tf.device(var.device):
                        ways.append(tf.subtract(var, copy))
                updates = []
                for update, variables in ((tf.assign_sub, trained), (tf.assign_add, centers)):
                    for var, way in zip(variables, ways):
                        with tf.device(var.device):
                            updates.append(update(var, tf.multiply(self._moving_rate, way)))
                if global_step is not None:
                    with tf.colocate_with(global_step):
                        updates.append(tf.assign_add(global_step, 1))
            return tf.group(*updates)

        with tf.control_dependencies([counted]):
            is_time = tf.equal(tf.mod(self._local_step, self._period), 0)
            return tf.cond(is_time, move, tf.no_op)

    def get_init_op(self, task_index: int) -> Any:
        """An op that sets a worker's variables to the center.

        Args:
            task_index: Of the worker.
        """
        trained = tf.trainable_variables()
        if not trained:
            raise ValueError("There is no variable to initialize: make the model before its init op")
        updates = []
        for var in trained:
            center = self._global_map[var]
            updates += [tf.assign(var, center), tf.assign(self._local_map[var], center)]
        done = tf.group(*updates)
        return self._wait_for_all(done, task_index) if self._synchronous else done

    def _wait_for_all(self, done: Any, task_index: int) -> Any:
        queues = [
            tf.FIFOQueue(self._num_worker, [tf.bool], shapes=[[]], shared_name=f"variable_init_sync_queue{i}")
            for i in range(self._num_worker)
        ]
        token = tf.constant(False)
        with tf.control_dependencies([done]):
            told = [tf.no_op() if i == task_index else queue.enqueue(token) for i, queue in enumerate(queues)]
        return tf.group(*told, queues[task_index].dequeue_many(len(queues) - 1))

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> InitHook:
        """A hook for a worker's session."""
        return InitHook(self, is_chief, task_index)

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Any:
        """A Saver that has centers under the names of the variables.

        Args:
            var_list: As tf.train.Saver takes it; the trainable variables by default.
            name: Of the Saver.
            **kwargs: For the Saver.

        Raises:
            RuntimeError: No variable was made by the getter.
        """
        if not self._global_map:
            raise RuntimeError(
                f"{GLOBAL_VARIABLE_NAME} is empty: make the model in a scope with an ElasticAverageCustomGetter, "
                "and the saver after it"
            )
        if var_list is None:
            var_list = tf.trainable_variables()
        if not isinstance(var_list, dict):
            var_list = op_list_to_dict(var_list)
        centers = {var.op.name: self._global_map[var] for var in tf.trainable_variables() if var in self._global_map}

        def swapped(var: Any) -> Any:
            if isinstance(var, list):
                return [self._global_map.get(part, part) for part in var]
            return centers.get(var.op.name, var)

        return tf.train.Saver({key: swapped(var) for key, var in var_list.items()}, name=name, **kwargs)


def _make_local(variables: set[Any]) -> None:
    """Has variables in the collection of local ones, and no longer in that of global ones."""
    collection = tf.get_collection_ref(tf.GraphKeys.GLOBAL_VARIABLES)
    for var in [var for var in collection if var in variables]:
        tf.add_to_collection(tf.GraphKeys.LOCAL_VARIABLES, var)
    collection[:] = [var for var in collection if var not in variables]
