# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The base class of AddSign and PowerSign; Bello et al. 2017, arXiv:1709.07417."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._training import apply


class SignOptimizer(tf.train.Optimizer):
    """Scales steps by the agreement of the signs of gradient and momentum; Bello et al. 2017, arXiv:1709.07417.

    Args:
        op: Name of TensorFlow's training op.
        learning_rate: Learning rate.
        numbers: The op's own hyperparameters, name -> number.
        beta: Decay of the momentum.
        sign_decay_fn: Function from the global step to the weight of the signs; None for 1.
        use_locking: True to lock variables during updates.
        name: Name of the optimizer.
    """

    def __init__(
        self,
        op: str,
        learning_rate: Any,
        numbers: dict[str, Any],
        beta: Any,
        sign_decay_fn: Any,
        use_locking: bool,
        name: str,
    ) -> None:
        super().__init__(use_locking, name)
        self._op = op
        self._lr = learning_rate
        self._numbers = numbers
        self._beta = beta
        self._sign_decay_fn = sign_decay_fn

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """Returns an op that applies gradients.

        Args:
            grads_and_vars: (gradient, variable) pairs of equal shape.
            global_step: Step variable, which a `sign_decay_fn` takes; it is incremented.
            name: Name of the op.
        """
        if self._sign_decay_fn is not None:
            self._sign_decay_t = tf.convert_to_tensor(self._sign_decay_fn(global_step), name="sign_decay")
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _create_slots(self, var_list: Any) -> None:
        for var in var_list:
            self._zeros_slot(var, "m", self._name)

    def _prepare(self) -> None:
        self._lr_t = tf.convert_to_tensor(self._lr, name="learning_rate")
        self._beta_t = tf.convert_to_tensor(self._beta, name="beta")
        self._number_t = {name: tf.convert_to_tensor(value, name=name) for name, value in self._numbers.items()}
        if self._sign_decay_fn is None:
            self._sign_decay_t = tf.convert_to_tensor(1.0, name="sign_decay")

    def _cast(self, dtype: Any) -> dict[str, Any]:
        numbers = {"lr": self._lr_t, "sign_decay": self._sign_decay_t, "beta": self._beta_t, **self._number_t}
        return {name: tf.cast(value, dtype) for name, value in numbers.items()}

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return apply(
            self._op,
            {"var": var, "m": self.get_slot(var, "m")},
            grad=grad,
            use_locking=self._use_locking,
            **self._cast(var.dtype.base_dtype),
        )

    _resource_apply_dense = _apply_dense

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        numbers = self._cast(var.dtype.base_dtype)
        m = self.get_slot(var, "m")
        new_m = tf.assign(m, m * numbers["beta"] + grad * (1 - numbers["beta"]), use_locking=self._use_locking)
        agreement = tf.gather(tf.sign(new_m), grad.indices) * tf.sign(grad.values)
        step = numbers["lr"] * self._multiplier(numbers, numbers["sign_decay"] * agreement) * grad.values
        return tf.group(tf.scatter_sub(var, grad.indices, step, use_locking=self._use_locking), new_m)

    def _multiplier(self, numbers: dict[str, Any], agreement: Any) -> Any:
        """Returns the factor of a gradient, from the op's hyperparameters and the weighted agreement of the signs."""
        raise NotImplementedError
