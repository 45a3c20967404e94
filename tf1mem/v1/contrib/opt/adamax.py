# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Adam with the infinity norm."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._training import apply


class AdaMaxOptimizer(tf.train.AdamOptimizer):
    """AdaMax: Adam with a decayed maximum of the gradients' absolute values as the divisor.

    Kingma and Ba 2014, arXiv:1412.6980, section 7.1.

    Args:
        learning_rate: Learning rate; 0.001 by default.
        beta1: Decay of the momentum; 0.9 by default.
        beta2: Decay of the maximum; 0.999 by default.
        epsilon: Added to the divisor; 1e-8 by default.
        use_locking: True to lock variables during updates.
        name: Name of the optimizer.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _get_beta_accumulators(self) -> Any:
        graph = None if tf.executing_eagerly() else tf.get_default_graph()
        return self._get_non_slot_variable("beta1_power", graph=graph)

    def _create_slots(self, var_list: Any) -> None:
        first = min(var_list, key=lambda var: var.name)
        self._create_non_slot_variable(initial_value=self._beta1, name="beta1_power", colocate_with=first)
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _hyperparameters(self, dtype: Any) -> dict[str, Any]:
        hyperparameters = {
            "beta1_power": self._get_beta_accumulators(),
            "lr": self._lr_t,
            "beta1": self._beta1_t,
            "beta2": self._beta2_t,
            "epsilon": self._epsilon_t,
        }
        return {name: tf.cast(value, dtype) for name, value in hyperparameters.items()}

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return apply(
            "ApplyAdaMax",
            {"var": var, "m": self.get_slot(var, "m"), "v": self.get_slot(var, "v")},
            grad=grad,
            use_locking=self._use_locking,
            **self._hyperparameters(var.dtype.base_dtype),
        )

    _resource_apply_dense = _apply_dense

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        hyperparameters = self._hyperparameters(var.dtype.base_dtype)
        beta1 = hyperparameters["beta1"]
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        new_m = tf.gather(m, indices) * beta1 + grad * (1 - beta1)
        new_v = tf.maximum(tf.gather(v, indices) * hyperparameters["beta2"], tf.abs(grad))
        rate = -hyperparameters["lr"] / (1 - hyperparameters["beta1_power"])
        step = rate * (new_m / (new_v + hyperparameters["epsilon"]))
        return tf.group(
            tf.scatter_update(m, indices, new_m, use_locking=self._use_locking),
            tf.scatter_update(v, indices, new_v, use_locking=self._use_locking),
            tf.scatter_add(var, indices, step, use_locking=self._use_locking),
        )

    def _finish(self, update_ops: Any, name_scope: str) -> Any:
        with tf.control_dependencies(update_ops):
            power = self._get_beta_accumulators()
            with tf.colocate_with(power):
                new_power = power.assign(power * self._beta1_t, use_locking=self._use_locking)
        return tf.group(*update_ops, new_power, name=name_scope)
