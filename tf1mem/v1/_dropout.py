"""Makes TensorFlow 2's dropout accept each rate that TensorFlow 1 converts: reference variables, and arrays."""

from __future__ import annotations

from functools import wraps
from numbers import Real
from typing import Any

from tf1mem.hooks.wrappers import replace_everywhere
from tf1mem.machine.modules import loaded_module


def take_every_rate(tensor: Any) -> None:
    """Wraps the function of dropout, which layers call, too: it converts the rate as TensorFlow 1 does.

    Args:
        tensor: The class `tf.Tensor`.
    """
    dropout = loaded_module("python.ops.nn_ops").dropout_v2

    @wraps(dropout)
    def with_converted_rate(x: Any, rate: Any, *args: Any, **kwargs: Any) -> Any:
        # TensorFlow 2 itself takes tensors, numbers and resource variables, which have a handle.
        if not (isinstance(rate, (tensor, Real)) or hasattr(rate, "handle")):
            convert = loaded_module("python.framework.ops").convert_to_tensor
            x = convert(x, name="x")
            rate = convert(rate, dtype=x.dtype.base_dtype, name="rate")
        return dropout(x, rate, *args, **kwargs)

    replace_everywhere({dropout: with_converted_rate})
