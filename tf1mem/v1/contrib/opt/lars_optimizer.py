# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Layer-wise adaptive rate scaling (LARS)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._training import apply, tensor


class LARSOptimizer(tf.train.Optimizer):
    """Momentum whose rate for a variable is scaled by the ratio of its norm to its gradient's norm (LARS).

    You et al. 2017, arXiv:1708.03888. A sparse gradient is applied with the unscaled rate.

    Args:
        learning_rate: Learning rate, or a function that returns it.
        momentum: Decay of the momentum; 0.9 by default.
        weight_decay: Factor of a variable that is added to its gradient; 0.0001 by default.
        eeta: Trust coefficient: factor of the ratio of the norms; 0.001 by default.
        epsilon: Added to the divisor.
        name: Name of the optimizer.
        skip_list: Substrings of the names of variables whose rate isn't scaled.
        use_nesterov: True for Nesterov momentum.

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
        """Returns a variable's scaled learning rate, and its gradient plus weight decay.

        For a variable of the skip list, rate and gradient are returned unchanged.

        Args:
            grad: Gradient, of the variable's shape.
            var: The variable.
        """
        if self._skip_list is not None and any(part in var.name for part in self._skip_list):
            return self._learning_rate, grad
        var_norm, grad_norm = tf.norm(var, ord=2), tf.norm(grad, ord=2)
        ratio = self._eeta * var_norm / (grad_norm + self._weight_decay * var_norm + self._epsilon)
        trust_ratio = tf.where(tf.greater(var_norm, 0), tf.where(tf.greater(grad_norm, 0), ratio, 1.0), 1.0)
        return self._learning_rate * trust_ratio, grad + self._weight_decay * var

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        # The momentum accumulates gradients times rate, so that each gradient keeps the rate of its own step.
        rate, grad = self.compute_lr(grad, var)
        unit_rate = tf.cast(1.0, var.dtype.base_dtype)
        return self._apply_momentum("ApplyMomentum", var, unit_rate, self._momentum, grad=grad * rate)

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
        self._learning_rate_tensor = tensor(self._learning_rate, "learning_rate")
        self._momentum_tensor = tensor(self._momentum, "momentum")
