# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Elastic averaging SGD: workers that are pulled towards a center; Zhang et al. 2014, arXiv:1412.6651."""

from __future__ import annotations

from typing import Any

from tensorflow.python.training.saving.saveable_object_util import op_list_to_dict

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._workers import GLOBAL_VARIABLE_NAME, InitHook, LocalAndGlobalGetter, local_step, on_worker

LOCAL_VARIABLE_NAME = "local_center_variable"


class ElasticAverageCustomGetter(LocalAndGlobalGetter):
    """Custom getter for `ElasticAverageOptimizer`.

    It gives each trainable variable a global center and a local copy of the center, of the same shape.

    Args:
        worker_device: Device of the worker's variables.
    """

    def __init__(self, worker_device: str) -> None:
        super().__init__(worker_device, LOCAL_VARIABLE_NAME)
        self._local_map = self._other_map

    def _get_non_trainable(self, getter: Any, name: str, collections: Any, *args: Any, **kwargs: Any) -> Any:
        return on_worker(self._worker_device, getter, name, collections, *args, **kwargs)


class ElasticAverageOptimizer(tf.train.Optimizer):
    """Trains a worker's variables with a pull towards a center, and periodically moves the center.

    Zhang et al. 2014, arXiv:1412.6651.

    Args:
        opt: Optimizer of the worker's own steps.
        num_worker: Number of workers.
        ea_custom_getter: The custom getter that made the variables.
        communication_period: Number of steps between moves of the center; 10 by default.
        moving_rate: Rate of these moves; `0.9 / communication_period / num_worker` by default.
        rho: Strength of the pull; `moving_rate / learning_rate` by default.
        use_locking: True to lock variables during updates.
        synchronous: True if workers wait for each other at the start.
        name: Name of the optimizer.
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
        """Computes gradients of the loss plus the distance to the center.

        Args:
            loss: Scalar float tensor.
            var_list: Variables; None for all trainable ones.
            gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH: how far gradients may be computed in parallel.
            aggregation_method: An AggregationMethod, by which gradient terms are added.
            colocate_gradients_with_ops: True to place each gradient on its op's device.
            grad_loss: Gradient of the loss; None for 1.

        Returns:
            (gradient, variable) pairs of equal shape.
        """
        var_list = var_list or tf.trainable_variables()
        centers = [self._local_map[var] for var in var_list]
        # As in TensorFlow 1, the first trainable variables are paired with the centers, even if `var_list` has others.
        distances = [tf.subtract(var, center) for var, center in zip(tf.trainable_variables(), centers)]
        total = loss + self._rho * tf.add_n([tf.nn.l2_loss(distance) for distance in distances])
        return self._opt.compute_gradients(
            total, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
        )

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """Returns an op that applies gradients to the worker's variables, and periodically moves the center.

        Args:
            grads_and_vars: (gradient, variable) pairs of equal shape.
            global_step: Step variable, incremented with each move of the center.
            name: Ignored.
        """
        before = set(tf.global_variables())
        applied = self._opt.apply_gradients(grads_and_vars)
        _make_local(set(tf.global_variables()) - before)
        with tf.control_dependencies([applied]):
            count_step = tf.assign_add(self._local_step, 1, name="local_step_update").op
        trained = [var for grad, var in grads_and_vars if grad is not None]

        def move() -> Any:
            """Returns an op that moves the variables and the center, of the same shape, towards each other."""
            centers = [self._global_map[var] for var in trained]
            copies = [self._local_map[var] for var in trained]
            copied = [copy.assign(center) for copy, center in zip(copies, centers)]
            with tf.control_dependencies(copied):
                differences = []
                for var, copy in zip(trained, copies):
                    with tf.device(var.device):
                        differences.append(tf.subtract(var, copy))
                updates = []
                for update, variables in ((tf.assign_sub, trained), (tf.assign_add, centers)):
                    for var, difference in zip(variables, differences):
                        with tf.device(var.device):
                            updates.append(update(var, tf.multiply(self._moving_rate, difference)))
                if global_step is not None:
                    with tf.colocate_with(global_step):
                        updates.append(tf.assign_add(global_step, 1))
            return tf.group(*updates)

        with tf.control_dependencies([count_step]):
            is_time = tf.equal(tf.mod(self._local_step, self._period), 0)
            return tf.cond(is_time, move, tf.no_op)

    def get_init_op(self, task_index: int) -> Any:
        """Returns an op that sets a worker's variables to the center, whose parts have the variables' shapes.

        Args:
            task_index: Index of the worker.

        Raises:
            ValueError: There are no trainable variables.
        """
        trained = tf.trainable_variables()
        if not trained:
            raise ValueError("There are no variables to initialize. Build the model before its init op")
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
            signals = [tf.no_op() if i == task_index else queue.enqueue(token) for i, queue in enumerate(queues)]
        return tf.group(*signals, queues[task_index].dequeue_many(len(queues) - 1))

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> InitHook:
        """Returns the hook that sets a worker's variables to the centers, of their shapes, when its session starts.

        Args:
            is_chief: True if this worker initializes the global variables.
            task_index: Index of the worker.
        """
        return InitHook(self, is_chief, task_index)

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Any:
        """Returns a Saver that stores the centers under the names of their variables (of the same shape).

        Args:
            var_list: Argument of tf.train.Saver; the trainable variables by default.
            name: Name of the Saver.
            **kwargs: More arguments of the Saver.

        Raises:
            RuntimeError: The getter made no variable.
        """
        if not self._global_map:
            raise RuntimeError(
                f"{GLOBAL_VARIABLE_NAME} is empty. Build the model in a scope with an ElasticAverageCustomGetter, "
                "and the saver after it"
            )
        if var_list is None:
            var_list = tf.trainable_variables()
        if not isinstance(var_list, dict):
            var_list = op_list_to_dict(var_list)
        centers = {var.op.name: self._global_map[var] for var in tf.trainable_variables() if var in self._global_map}

        def swapped(var: Any) -> Any:
            """Returns the center of a variable, of the same shape, or a variable without a center itself."""
            if isinstance(var, list):
                return [self._global_map.get(part, part) for part in var]
            return centers.get(var.op.name, var)

        return tf.train.Saver({key: swapped(var) for key, var in var_list.items()}, name=name, **kwargs)


def _make_local(variables: set[Any]) -> None:
    """Moves variables from the collection GLOBAL_VARIABLES to LOCAL_VARIABLES."""
    collection = tf.get_collection_ref(tf.GraphKeys.GLOBAL_VARIABLES)
    for var in [var for var in collection if var in variables]:
        tf.add_to_collection(tf.GraphKeys.LOCAL_VARIABLES, var)
    collection[:] = [var for var in collection if var not in variables]
