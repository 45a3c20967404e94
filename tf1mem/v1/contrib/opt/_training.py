# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What several optimizers share: TensorFlow's training ops for variables of both kinds, and Adam's numbers."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def apply(op: str, variables: dict[str, Any], **arguments: Any) -> Any:
    """Runs one of TensorFlow's training ops.

    Args:
        op: Its name for variables that aren't resources: "ApplyAdam".
        variables: Those that it changes, by parameter.
        **arguments: The others.

    Returns:
        The operation.
    """
    if all(hasattr(variable, "handle") for variable in variables.values()):
        handles = {name: variable.handle for name, variable in variables.items()}
        return getattr(tf.raw_ops, "Resource" + op)(**handles, **arguments)
    references = {name: variable._ref() for name, variable in variables.items()}
    return getattr(tf.raw_ops, op)(**references, **arguments).op


def adam_numbers(optimizer: Any, dtype: Any) -> dict[str, Any]:
    """The numbers that ApplyAdam takes, of an Adam that is prepared.

    Args:
        optimizer: The optimizer.
        dtype: Which they are to have.
    """
    beta1_power, beta2_power = optimizer._get_beta_accumulators()
    numbers = {
        "beta1_power": beta1_power,
        "beta2_power": beta2_power,
        "lr": optimizer._lr_t,
        "beta1": optimizer._beta1_t,
        "beta2": optimizer._beta2_t,
        "epsilon": optimizer._epsilon_t,
    }
    return {name: tf.cast(value, dtype) for name, value in numbers.items()}


def adam_rate(numbers: dict[str, Any]) -> Any:
    """The learning rate, corrected for both momenta having started at zero."""
    return numbers["lr"] * tf.sqrt(1 - numbers["beta2_power"]) / (1 - numbers["beta1_power"])


def apply_adam(optimizer: Any, grad: Any, var: Any, use_nesterov: bool = False) -> Any:
    """Adam's op for all of a variable."""
    return apply(
        "ApplyAdam",
        {"var": var, "m": optimizer.get_slot(var, "m"), "v": optimizer.get_slot(var, "v")},
        grad=grad,
        use_locking=optimizer._use_locking,
        use_nesterov=use_nesterov,
        **adam_numbers(optimizer, var.dtype.base_dtype),
    )


class LazyRows:
    """For a subclass of Adam: rows without a gradient are left alone, and their momenta, too."""

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _resource_apply_sparse(self: Any, grad: Any, var: Any, indices: Any) -> Any:
        numbers = adam_numbers(self, var.dtype.base_dtype)
        beta1, beta2 = numbers["beta1"], numbers["beta2"]
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        new_m = beta1 * tf.gather(m, indices) + (1 - beta1) * grad
        new_v = beta2 * tf.gather(v, indices) + (1 - beta2) * tf.square(grad)
        step = adam_rate(numbers) * new_m / (tf.sqrt(new_v) + numbers["epsilon"])
        return tf.group(
            tf.scatter_sub(var, indices, step, use_locking=self._use_locking),
            tf.scatter_update(m, indices, new_m, use_locking=self._use_locking),
            tf.scatter_update(v, indices, new_v, use_locking=self._use_locking),
        )
