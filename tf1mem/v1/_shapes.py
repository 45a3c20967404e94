"""Makes TensorFlow 2 accept a float with an integral value as a size, as TensorFlow 1 does.

`units / 2` is an int in Python 2 and a float in Python 3. TensorFlow 1 accepts such a float in the shapes of
variables and placeholders; newer TensorFlows refuse it.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around
from tf1mem.machine.modules import loaded_module


def take_whole_floats() -> None:
    """Makes TensorFlow's Dimension accept floats with an integral value."""
    put_around(loaded_module("python.framework.tensor_shape").Dimension, "__init__", _with_floats)


def _with_floats(init: Callable[..., None]) -> Callable[..., None]:
    def __init__(self: Any, value: Any) -> None:  # noqa: N807
        try:
            init(self, value)
        except TypeError:
            # Tested only after a failure, because nearly every size is an int. NumPy's floats are Real, too.
            is_whole = isinstance(value, Real) and value % 1 == 0
            if not is_whole:
                raise
            init(self, int(value))

    return __init__
