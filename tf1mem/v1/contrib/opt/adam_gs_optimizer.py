# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Adam with bias correction by the global step."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._training import adam_numbers, adam_rate, apply_adam, tensor


class AdamGSOptimizer(tf.train.Optimizer):
    """Adam that computes the powers of its betas from the global step; Kingma and Ba 2014, arXiv:1412.6980.

    Args:
        global_step: Number of steps before this one: a variable, a tensor of shape `[]` or a number.
        learning_rate: Learning rate, a float or a tensor of shape `[]`; it, and each of the next three arguments, may
            also be a function that returns the value.
        beta1: Decay of the first moment.
        beta2: Decay of the second moment.
        epsilon: Number added to the square root of the second moment, the divisor.
        use_locking: True to lock variables during updates.
        name: Name of the optimizer.
    """

    def __init__(
        self,
        global_step: Any = 0,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        self._global_step = global_step

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        step = self._global_step_on_worker
        return tf.pow(self._beta1_t, step), tf.pow(self._beta2_t, step)

    def _create_slots(self, var_list: Any) -> None:
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _prepare(self) -> None:
        self._lr_t = tensor(self._lr, "learning_rate")
        self._beta1_t = tensor(self._beta1, "beta1")
        self._beta2_t = tensor(self._beta2, "beta2")
        self._epsilon_t = tensor(self._epsilon, "epsilon")
        self._global_step_on_worker = tf.cast(tf.identity(self._global_step) + 1, tf.float32)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return apply_adam(self, grad, var)

    _resource_apply_dense = _apply_dense

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        numbers = adam_numbers(self, var.dtype.base_dtype)

        def decayed(slot: Any, decay: Any, new: Any) -> Any:
            """Returns a slot, of the variable's shape: decayed, and with new values added to the gradient's rows."""
            faded = tf.assign(slot, slot * decay, use_locking=self._use_locking)
            with tf.control_dependencies([faded]):
                return tf.scatter_add(slot, indices, new * (1 - decay), use_locking=self._use_locking)

        m = decayed(self.get_slot(var, "m"), numbers["beta1"], grad)
        v = decayed(self.get_slot(var, "v"), numbers["beta2"], grad * grad)
        step = adam_rate(numbers) * m / (tf.sqrt(v) + numbers["epsilon"])
        return tf.group(tf.assign_sub(var, step, use_locking=self._use_locking), m, v)
