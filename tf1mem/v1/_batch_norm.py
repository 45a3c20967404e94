"""tf.nn.fused_batch_norm with TensorFlow 1's least epsilon, which TensorFlow 2.15 and later no longer raise it to."""

from __future__ import annotations

from functools import wraps
from typing import Any

from tf1mem.hooks.wrappers import replace_everywhere
from tf1mem.machine.modules import loaded_module

# cuDNN's least epsilon in float32, and a little more. Source: nn_impl.py of TensorFlow 1.15, fused_batch_norm.
_LEAST_EPSILON = 1.001e-5


def raise_epsilon() -> None:
    """Wraps the function, which layers of Keras and of contrib call, too: ResNets have an epsilon of 1e-5."""
    fused_batch_norm = loaded_module("python.ops.nn_impl").fused_batch_norm

    @wraps(fused_batch_norm)
    def with_least_epsilon(  # noqa: PLR0917 - TensorFlow's own
        x: Any, scale: Any, offset: Any, mean: Any = None, variance: Any = None, epsilon: Any = 0.001,
        *args: Any, **kwargs: Any,
    ) -> Any:  # fmt: skip
        raised = epsilon if epsilon > _LEAST_EPSILON else _LEAST_EPSILON
        return fused_batch_norm(x, scale, offset, mean, variance, raised, *args, **kwargs)

    replace_everywhere({fused_batch_norm: with_least_epsilon})
