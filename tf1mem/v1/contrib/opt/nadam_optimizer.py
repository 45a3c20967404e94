# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Adam with Nesterov momentum."""

from __future__ import annotations

from typing import Any, Callable

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._training import adam_numbers, adam_rate, apply_adam


class NadamOptimizer(tf.train.AdamOptimizer):
    """Nadam: Adam with Nesterov momentum; Dozat 2016, "Incorporating Nesterov Momentum into Adam".

    The arguments are those of `tf.train.AdamOptimizer`. Variables may have any shape. A sparse gradient decays the
    moments of all rows, and updates only the variable's rows that it contains.
    """

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return apply_adam(self, grad, var, use_nesterov=True)

    _resource_apply_dense = _apply_dense

    def _apply_sparse_shared(self, grad: Any, var: Any, indices: Any, scatter_add: Callable[..., Any]) -> Any:
        numbers = adam_numbers(self, var.dtype.base_dtype)
        beta1 = numbers["beta1"]

        def decayed(slot: Any, decay: Any, new: Any) -> Any:
            """Returns a slot, of the variable's shape, decayed and with new values added to rows with a gradient."""
            with tf.control_dependencies([tf.assign(slot, slot * decay, use_locking=self._use_locking)]):
                return scatter_add(slot, indices, new)

        share = grad * (1 - beta1)
        m = decayed(self.get_slot(var, "m"), beta1, share)
        ahead = share + beta1 * tf.gather(m, indices)
        v = decayed(self.get_slot(var, "v"), numbers["beta2"], grad * grad * (1 - numbers["beta2"]))
        step = adam_rate(numbers) * ahead / (tf.sqrt(tf.gather(v, indices)) + numbers["epsilon"])
        return tf.group(scatter_add(var, indices, -step), ahead, v)
