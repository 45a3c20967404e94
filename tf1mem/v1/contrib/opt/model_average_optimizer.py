# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Model averaging: workers whose variables are averaged periodically."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._workers import GLOBAL_VARIABLE_NAME, local_step, on_worker


class ModelAverageCustomGetter:
    """Custom getter for `ModelAverageOptimizer`: adds a global average of the same shape to each trainable variable.

    Args:
        worker_device: Device of the worker's variables.
    """

    def __init__(self, worker_device: str) -> None:
        self._worker_device = worker_device
        self._local_2_global: dict[Any, Any] = {}

    def __call__(self, getter: Any, name: str, trainable: bool, collections: Any, *args: Any, **kwargs: Any) -> Any:
        if not trainable:
            return on_worker(self._worker_device, getter, name, collections, *args, trainable=trainable, **kwargs)
        with tf.device(self._worker_device):
            local = getter(name, *args, trainable=True, collections=[tf.GraphKeys.LOCAL_VARIABLES], **kwargs)
        self._local_2_global[local] = tf.Variable(
            name=f"{GLOBAL_VARIABLE_NAME}/{name}",
            initial_value=local.initialized_value(),
            trainable=False,
            collections=[tf.GraphKeys.GLOBAL_VARIABLES],
        )
        return local


class ModelAverageOptimizer(tf.train.Optimizer):
    """Trains a worker's variables (of any shape), and periodically sets them to the mean of all workers' variables.

    Args:
        opt: Optimizer of the worker's own steps.
        num_worker: Number of workers.
        is_chief: True if this worker writes the averages.
        ma_custom_getter: The custom getter that made the variables.
        interval_steps: Number of steps between averages; 100 by default.
        use_locking: True to lock variables during updates.
        name: Name of the optimizer.
    """

    def __init__(
        self,
        opt: Any,
        num_worker: int,
        is_chief: bool,
        ma_custom_getter: ModelAverageCustomGetter,
        interval_steps: int = 100,
        use_locking: bool = True,
        name: str = "ModelAverageOptimizer",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._num_worker = num_worker
        self._is_chief = is_chief
        self._local_2_global = ma_custom_getter._local_2_global
        self._interval_steps = interval_steps
        self._accumulator_list: list[Any] = []
        self._chief_init_op: Any = None
        self._local_step = local_step()
        self._opt._prepare()

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the wrapped optimizer's (gradient, variable) pairs, of equal shape."""
        return self._opt.compute_gradients(*args, **kwargs)

    def _local_vars_update(self, var_list: Any) -> Any:
        if not var_list:
            raise ValueError("local variables: there are none to average. Make the model's variables first.")
        updates = []
        for var in var_list:
            with tf.device(var.device):
                updates.append(tf.assign(var, self._local_2_global[var].read_value()))
        return tf.group(*updates)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """Returns an op that applies gradients, and periodically averages the variables.

        Args:
            grads_and_vars: (gradient, variable) pairs of equal shape.
            global_step: Step variable, which the chief increments with each average.
            name: Ignored.

        Raises:
            ValueError: There are no gradients, or there is no global step.
        """
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required")
        applied = self._opt.apply_gradients(grads_and_vars)
        with tf.control_dependencies([applied]):
            count_step = tf.assign_add(self._local_step, 1, name="local_step_update").op
        trained = [var for grad, var in grads_and_vars if grad is not None]
        with tf.control_dependencies([count_step]):
            is_time = tf.equal(tf.mod(self._local_step, self._interval_steps), 0)
            update = tf.cond(is_time, lambda: self._average(trained, global_step), tf.no_op)
        set_steps = []
        for accumulator, device in self._accumulator_list:
            with tf.device(device):
                set_steps.append(accumulator.set_global_step(global_step, name="SetGlobalStep"))
        self._chief_init_op = tf.group(*set_steps)
        return update

    def _average(self, trained: Any, global_step: Any) -> Any:
        """Returns the op that waits for all workers, and sets all variables to the mean of the workers' variables."""
        averages = [self._local_2_global[var] for var in trained]
        with tf.colocate_with(global_step):
            queue = tf.FIFOQueue(-1, [tf.bool], shapes=[[]], shared_name="sync_queue")
        accumulated, means = [], []
        with tf.name_scope(None, self._name + "/global"):
            for var, average in zip(trained, averages):
                with tf.device(average.device):
                    accumulator = tf.ConditionalAccumulator(
                        var.dtype.base_dtype, shape=var.get_shape(), shared_name=average.name + "/var_accum"
                    )
                    accumulated.append(accumulator.apply_grad(var, local_step=global_step))
                    means.append(accumulator.take_grad(self._num_worker))
                    self._accumulator_list.append((accumulator, average.device))
        if self._is_chief:
            updates = []
            with tf.control_dependencies(accumulated):
                for mean, average in zip(means, averages):
                    with tf.device(average.device):
                        updates.append(tf.assign(average, mean))
                with tf.device(global_step.device):
                    updates.append(tf.assign_add(global_step, 1))
            with tf.control_dependencies(updates), tf.device(global_step.device):
                synchronized = queue.enqueue_many(tf.fill([self._num_worker - 1], tf.constant(False)))
        else:
            with tf.control_dependencies(accumulated), tf.device(global_step.device):
                synchronized = queue.dequeue()
        with tf.control_dependencies([synchronized]):
            return self._local_vars_update(trained)

    def get_init_op(self) -> Any:
        """Returns an op that sets a worker's variables to the averages, which have the same shapes."""
        return self._local_vars_update(tf.trainable_variables())

    def make_session_run_hook(self) -> Any:
        """Returns the hook for a worker's session: it makes the op that sets variables to averages of their shapes."""
        return _Hook(self, self._is_chief)


# The hook that `make_session_run_hook` returns.
class _Hook(tf.train.SessionRunHook):
    def __init__(self, optimizer: ModelAverageOptimizer, is_chief: bool) -> None:
        self._optimizer = optimizer
        self._is_chief = is_chief

    def begin(self) -> None:
        """Makes the initialization ops; that of the worker sets its variables to the averages, of the same shapes."""
        self._local_init_op = tf.local_variables_initializer()
        self._global_init_op = None
        if self._is_chief:
            self._global_init_op = tf.global_variables_initializer()
            self._chief_init_op = self._optimizer._chief_init_op
        self._variable_init_op = self._optimizer.get_init_op()
