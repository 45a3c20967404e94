# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""GGT: full-matrix preconditioning by the last gradients; Agarwal et al. 2018, arXiv:1806.02958."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._training import tensor


class GGTOptimizer(tf.train.Optimizer):
    """Preconditions with the inverse square root of the last gradients' second moment.

    Agarwal et al. 2018, arXiv:1806.02958. Variables may have any shape, and have to share one dtype.

    Args:
        learning_rate: Learning rate; 0.001 by default.
        beta1: Decay of the averaged gradient; 0.9 by default.
        use_locking: True to lock variables during updates.
        name: Name of the optimizer.
        window: Number of stored gradients; 10 by default.
        eps: The step includes the momentum outside of the stored gradients' span only if their smallest singular value
            is above `eps`; 1e-4 by default.
        svd_eps: Added to the diagonal of the gradients' Gram matrix; 1e-6 by default.
        sigma_eps: Added to the singular values; 1e-2 by default.

    Raises:
        NotImplementedError: A gradient is sparse (raised by `apply_gradients`).
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        use_locking: bool = False,
        name: str = "GGT",
        window: int = 10,
        eps: float = 1e-4,
        svd_eps: float = 1e-6,
        sigma_eps: float = 1e-2,
    ) -> None:
        super().__init__(use_locking, name)
        self._hyper = {
            "lr": learning_rate,
            "beta1": beta1,
            "window": window,
            "eps": eps,
            "svd_eps": svd_eps,
            "sigma_eps": sigma_eps,
        }
        # The variables, sorted by name, are concatenated to one vector. These are their offsets and lengths in it.
        self.index_dict: dict[str, int] = {}
        self.shape_dict: dict[str, int] = {}

    def _create_slots(self, var_list: Any) -> None:
        self.shape_dict = {var.name: var.get_shape().num_elements() for var in sorted(var_list, key=lambda v: v.name)}
        length = 0
        for name, size in self.shape_dict.items():
            self.index_dict[name] = length
            length += size
        dtype = var_list[0].dtype.base_dtype
        for name, start in (
            ("global_step", tf.cast(0.0, dtype=dtype)),
            ("grad_buffer", tf.zeros([self._hyper["window"], length], dtype=dtype)),
            ("moment1", tf.zeros((length,), dtype=dtype)),
            ("flat_grad", tf.zeros((length,), dtype=dtype)),
        ):
            self._create_non_slot_variable(initial_value=start, name=name, colocate_with=var_list[0])

    def _non_slot(self, name: str) -> Any:
        return self._get_non_slot_variable(name, graph=None if tf.executing_eagerly() else tf.get_default_graph())

    def _get_global_step(self) -> Any:
        return self._non_slot("global_step")

    def _get_moment1(self) -> Any:
        return self._non_slot("moment1")

    def _get_grad_buffer(self) -> Any:
        return self._non_slot("grad_buffer")

    def _get_flat_grad(self) -> Any:
        return self._non_slot("flat_grad")

    def _prepare(self) -> None:
        self._variables: list[Any] = []
        self._hyper_t = {name: tensor(value, name) for name, value in self._hyper.items()}

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        raise NotImplementedError("Sparse gradient updates are not supported.")

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        """Returns an op that writes the gradient into the vector of all gradients, which `_finish` applies."""
        self._variables.append(var)
        start = self.index_dict[var.name]
        positions = tf.range(start, start + self.shape_dict[var.name])
        return tf.scatter_update(self._get_flat_grad(), positions, tf.reshape(grad, [-1]))

    _resource_apply_dense = _apply_dense

    def _finish(self, update_ops: Any, name_scope: str) -> Any:
        """Returns the op that updates the momentum, the gradients' buffer and all variables."""
        dtype = self._variables[0].dtype.base_dtype
        numbers = {name: tf.cast(value, dtype) for name, value in self._hyper_t.items()}
        window = self._hyper_t["window"]
        with tf.control_dependencies(update_ops):
            step = tf.assign_add(self._get_global_step(), 1.0)
            moment1 = self._get_moment1()
            beta1 = numbers["beta1"]
            moment = moment1.assign(beta1 * moment1 + (1.0 - beta1) * self._get_flat_grad())
            place = tf.floormod(tf.cast(step - 1.0, tf.int32), window)
            gradients = tf.scatter_update(self._get_grad_buffer(), place, moment)
            count = tf.sqrt(tf.minimum(tf.convert_to_tensor(step), numbers["window"]))
            direction = self._direction(tf.transpose(gradients / count), tf.expand_dims(moment, -1), window, numbers)
            updates = []
            for var in self._variables:
                start = self.index_dict[var.name]
                part = tf.reshape(direction[start : start + self.shape_dict[var.name]], var.get_shape())
                updates.append(tf.assign_sub(var, numbers["lr"] * part))
        return tf.group(*updates, name=name_scope)

    def _direction(self, m: Any, moment: Any, window: Any, numbers: dict[str, Any]) -> Any:
        """Returns the preconditioned momentum, `[size, 1]`.

        Args:
            m: Stored gradients, one in each column, `[size, window]`.
            moment: Momentum, `[size, 1]`.
            window: Number of stored gradients.
            numbers: The other hyperparameters by name, of shape `[]`.
        """
        damping = tf.cast(tf.eye(window), dtype=m.dtype) * numbers["svd_eps"]
        sigma, u, _ = tf.svd(tf.matmul(m, m, transpose_a=True) + damping)
        root = tf.sqrt(sigma)
        inside = tf.matmul(u, tf.matmul(m, moment, transpose_a=True), transpose_a=True)

        def back(scale: Any) -> Any:
            """Returns a `[size, 1]` combination of the gradients, scaled along the singular vectors."""
            return tf.matmul(m, tf.matmul(u, tf.matmul(tf.diag(scale), inside)))

        head = back(1.0 / tf.pow(root + numbers["sigma_eps"], 3))
        least = tf.reduce_min(root)
        tail = (moment - back(1.0 / sigma)) / least
        return tf.cond(least > numbers["eps"], lambda: head + tail, lambda: tf.identity(head))
