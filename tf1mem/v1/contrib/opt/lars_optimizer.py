# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Layer-wise adaptive rates."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._training import apply


class LARSOptimizer(tf.train.Optimizer):
    """Momentum whose rate is scaled for each variable by its norm and its gradient's (arXiv:1708.03888).

    Args:
        learning_rate: The step's size, or a function that returns it.
        momentum: Of all steps before.
        weight_decay: How much of a variable is added to its gradient.
        eeta: How far a variable's rate follows its norm.
        epsilon: What is added to a divisor.
        name: Of the optimizer.
        skip_list: Parts of the names of variables whose rate isn't scaled.
        use_nesterov: Whether momentum is Nesterov's.

    Raises:
        ValueError: `momentum` or `weight_decay` is negative.
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Any = None,
        use_nesterov: bool = False,
    ) -> None:
        for argument, value in (("momentum", momentum), ("weight_decay", weight_decay)):
            if value < 0.0:
                raise ValueError(f"{argument} should be positive: {value}")
        super().__init__(use_locking=False, name=name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._weight_decay = weight_decay
        self._eeta = eeta
        self._epsilon = epsilon
        self._skip_list = skip_list
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: Any) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)

    def compute_lr(self, grad: Any, var: Any) -> tuple[Any, Any]:
        """A variable's learning rate, and its gradient with that of its weight; both as they are if it is skipped."""
        if self._skip_list is not None and any(part in var.name for part in self._skip_list):
            return self._learning_rate, grad
        size, slope = tf.norm(var, ord=2), tf.norm(grad, ord=2)
        ratio = self._eeta * size / (slope + self._weight_decay * size + self._epsilon)
        trusted = tf.where(tf.greater(size, 0), tf.where(tf.greater(slope, 0), ratio, 1.0), 1.0)
        return self._learning_rate * trusted, grad + self._weight_decay * var

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        # The rate is in what momentum sums up, so that a step keeps the rate it was made with.
        rate, grad = self.compute_lr(grad, var)
        one = tf.cast(1.0, var.dtype.base_dtype)
        return self._apply_momentum("ApplyMomentum", var, one, self._momentum, grad=grad * rate)

    _resource_apply_dense = _apply_dense

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        dtype = var.dtype.base_dtype
        rate, momentum = tf.cast(self._learning_rate_tensor, dtype), tf.cast(self._momentum_tensor, dtype)
        return self._apply_momentum("SparseApplyMomentum", var, rate, momentum, grad=grad, indices=indices)

    def _apply_momentum(self, op: str, var: Any, rate: Any, momentum: Any, **gradient: Any) -> Any:
        return apply(
            op,
            {"var": var, "accum": self.get_slot(var, "momentum")},
            lr=rate,
            momentum=momentum,
            use_locking=False,
            use_nesterov=self._use_nesterov,
            **gradient,
        )

    def _prepare(self) -> None:
        def tensor(value: Any, name: str) -> Any:
            return tf.convert_to_tensor(value() if callable(value) else value, name=name)

        self._learning_rate_tensor = tensor(self._learning_rate, "learning_rate")
        self._momentum_tensor = tensor(self._momentum, "momentum")
