"""Makes TensorFlow 2's dropout convert a rate as TensorFlow 1 does, and drop nothing at a constant 0."""

from __future__ import annotations

from functools import wraps
from numbers import Real
from typing import Any

from tf1mem.hooks.wrappers import replace_everywhere
from tf1mem.machine.modules import loaded_module


def take_every_rate(tensor: Any) -> None:
    """Wraps the function of dropout, which layers call, too.

    TensorFlow 2 itself takes tensors, numbers and resource variables, but no reference variable and no array.

    Args:
        tensor: The class `tf.Tensor`.
    """
    dropout = loaded_module("python.ops.nn_ops").dropout_v2

    @wraps(dropout)
    def with_tf1_rate(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: Any = None) -> Any:
        is_eager = loaded_module("python.eager.context").executing_eagerly()
        if is_eager or isinstance(rate, Real) or hasattr(rate, "handle"):  # resource variables have a handle
            return dropout(x, rate, noise_shape=noise_shape, seed=seed, name=name)
        ops = loaded_module("python.framework.ops")
        with ops.name_scope(name, "dropout", [x]) as scope:
            x = ops.convert_to_tensor(x, name="x")
            if not isinstance(rate, tensor):
                rate = ops.convert_to_tensor(rate, dtype=x.dtype.base_dtype, name="rate")
            if rate.dtype == x.dtype and rate.shape.ndims == 0 and is_constant_zero(rate):
                return x
            return dropout(x, rate, noise_shape=noise_shape, seed=seed, name=scope)

    replace_everywhere({dropout: with_tf1_rate})


def is_constant_zero(rate: Any) -> bool:
    """Returns True for an array, or a constant of a graph, whose numbers are all 0."""
    import numpy as np

    if hasattr(rate, "graph"):
        rate = loaded_module("python.framework.tensor_util").constant_value(rate)
    return rate is not None and not np.any(rate)
