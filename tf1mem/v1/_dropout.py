"""Makes dropout in graphs as TensorFlow 1.15 did: by the same ops, so that values, gradients and seeds are the same.

TensorFlow 2.4 and later divide by the kept fraction and select, where TensorFlow 1 multiplied twice: their results
differ in the last bit, their gradients have other ops, and a dropped NaN is 0.
"""

from __future__ import annotations

from functools import wraps
from numbers import Real
from typing import Any

from tf1mem.hooks.wrappers import replace_everywhere
from tf1mem.machine.modules import loaded_module


def drop_as_tf1(tensor: Any) -> None:
    """Replaces the function of dropout, which layers call, too, in graphs.

    TensorFlow 1 takes rates that TensorFlow 2 refuses: reference variables and arrays. At a constant 0, nothing drops.

    Args:
        tensor: The class `tf.Tensor`.
    """
    nn_ops = loaded_module("python.ops.nn_ops")
    random_ops = loaded_module("python.ops.random_ops")
    dropout, noise_shape_of = nn_ops.dropout_v2, nn_ops._get_noise_shape

    @wraps(dropout)
    def dropout_of_tf1(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: Any = None) -> Any:
        if loaded_module("python.eager.context").executing_eagerly():
            return dropout(x, rate, noise_shape=noise_shape, seed=seed, name=name)
        ops, cast = loaded_module("python.framework.ops"), loaded_module("python.ops.math_ops").cast
        with ops.name_scope(name, "dropout", [x]) as scope:
            x = ops.convert_to_tensor(x, name="x")
            dtype = x.dtype.base_dtype
            if not dtype.is_floating or (isinstance(rate, Real) and not 0 <= float(rate) < 1):
                return dropout(x, rate, noise_shape=noise_shape, seed=seed, name=scope)  # raises its own error
            if isinstance(rate, Real) and rate == 0:
                return x
            if not isinstance(rate, tensor):
                rate = ops.convert_to_tensor(rate, dtype=dtype, name="rate")
            if rate.dtype != dtype or rate.shape.ndims not in (0, None):
                return dropout(x, rate, noise_shape=noise_shape, seed=seed, name=scope)  # raises its own error
            if _is_constant_zero(rate):
                return x
            noise = random_ops.random_uniform(noise_shape_of(x, noise_shape), seed=seed, dtype=dtype)
            scale = 1 / (1 - rate)
            dropped = x * scale * cast(noise >= rate, dtype)
            dropped.set_shape(x.shape)
            return dropped

    replace_everywhere({dropout: dropout_of_tf1})


def _is_constant_zero(rate: Any) -> bool:
    """Returns True for an array, or a constant of a graph, whose numbers are all 0."""
    import numpy as np

    if hasattr(rate, "graph"):
        rate = loaded_module("python.framework.tensor_util").constant_value(rate)
    return rate is not None and not np.any(rate)
