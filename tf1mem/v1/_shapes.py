"""TensorFlow 1's sizes, on TensorFlow 2: a whole float is one.

What Python 2 wrote as `units / 2` is a float on Python 3. TensorFlow 1 took it for a size wherever a shape is made, of
a variable as of a placeholder; TensorFlow 2 came to refuse it.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around
from tf1mem.machine.modules import loaded_module


def take_whole_floats() -> None:
    """Has TensorFlow's dimensions take floats that are whole."""
    put_around(loaded_module("python.framework.tensor_shape").Dimension, "__init__", _with_floats)


def _with_floats(init: Callable[..., None]) -> Callable[..., None]:
    def __init__(self: Any, value: Any) -> None:  # noqa: N807
        try:
            init(self, value)
        except TypeError:
            # Asked afterwards: nearly every size is an int. NumPy's floats are Real, too.
            is_whole = isinstance(value, Real) and value % 1 == 0
            if not is_whole:
                raise
            init(self, int(value))

    return __init__
