# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""TensorFlow's training ops for both kinds of variables, and Adam's hyperparameters."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf


def apply(op: str, variables: dict[str, Any], **arguments: Any) -> Any:
    """Runs one of TensorFlow's training ops.

    Args:
        op: Name of the op for reference variables, such as "ApplyAdam".
        variables: Parameter -> variable (of any shape) that the op updates.
        **arguments: The op's other parameters.

    Returns:
        The operation.
    """
    if all(hasattr(variable, "handle") for variable in variables.values()):
        handles = {name: variable.handle for name, variable in variables.items()}
        return getattr(tf.raw_ops, "Resource" + op)(**handles, **arguments)
    references = {name: variable._ref() for name, variable in variables.items()}
    return getattr(tf.raw_ops, op)(**references, **arguments).op


def tensor(value: Any, name: str) -> Any:
    """Returns a hyperparameter as a tensor of shape `[]`; float32 for a Python float.

    Args:
        value: The number, or a function that returns it.
        name: Name of the op.
    """
    return tf.convert_to_tensor(value() if callable(value) else value, name=name)


def adam_numbers(optimizer: Any, dtype: Any) -> dict[str, Any]:
    """Returns ApplyAdam's hyperparameters, scalars of shape `[]`, from a prepared Adam optimizer.

    Args:
        optimizer: The optimizer, after a call of its `_prepare`.
        dtype: Dtype of the numbers.
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
    """Returns the learning rate (shape `[]`), corrected for the moments' bias towards zero."""
    return numbers["lr"] * tf.sqrt(1 - numbers["beta2_power"]) / (1 - numbers["beta1_power"])


def apply_adam(optimizer: Any, grad: Any, var: Any, use_nesterov: bool = False) -> Any:
    """Returns the op of Adam's step, by a dense gradient of the variable's shape."""
    return apply(
        "ApplyAdam",
        {"var": var, "m": optimizer.get_slot(var, "m"), "v": optimizer.get_slot(var, "v")},
        grad=grad,
        use_locking=optimizer._use_locking,
        use_nesterov=use_nesterov,
        **adam_numbers(optimizer, var.dtype.base_dtype),
    )


class LazyRows:
    """Mixin for subclasses of Adam: rows without a gradient keep their values and moments.

    Variables are `[rows, ...]`.
    """

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
