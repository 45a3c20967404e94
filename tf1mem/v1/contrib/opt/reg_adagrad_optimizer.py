# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Adagrad with steps that leave the accumulators unchanged."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterator

import tf1mem.v1 as tf
from tf1mem.v1.contrib.opt._training import apply


class RegAdagradOptimizer(tf.train.AdagradOptimizer):
    """Adagrad that can leave its accumulators (of the variables' shapes) unchanged, for regularization steps.

    Args:
        learning_rate: Learning rate.
        initial_accumulator_value: Initial value of the accumulators; 0.1 by default.
        use_locking: True to lock variables during updates.
        name: Name of the optimizer.
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "RegAdagrad",
    ) -> None:
        super().__init__(
            learning_rate, initial_accumulator_value=initial_accumulator_value, use_locking=use_locking, name=name
        )
        self._should_update_slots = True

    @contextmanager
    def avoid_updating_slots(self) -> Iterator[None]:
        """Makes the steps built inside this context leave the accumulators (of the variables' shapes) unchanged."""
        before = self._should_update_slots
        self._should_update_slots = False
        try:
            yield
        finally:
            self._should_update_slots = before

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self._apply("ApplyAdagrad", var, grad=grad)

    _resource_apply_dense = _apply_dense

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        return self._apply("SparseApplyAdagrad", var, grad=grad, indices=indices)

    def _apply(self, op: str, var: Any, **gradient: Any) -> Any:
        return apply(
            op,
            {"var": var, "accum": self.get_slot(var, "accumulator")},
            lr=tf.cast(self._learning_rate_tensor, var.dtype.base_dtype),
            use_locking=self._use_locking,
            update_slots=self._should_update_slots,
            **gradient,
        )
