"""Makes NumPy take tensors in a list for objects, as it did for TensorFlow 1.

`np.array([a, b])` was an array of two objects, and `np.sum([a, b])` added them. Since NumPy 1.20 both raise the error
of `Tensor.__array__`, which was meant for `np.array(a)` alone.
"""

from __future__ import annotations

import sys
from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around
from tf1mem.machine.first_start import NOT_THE_USER
from tf1mem.machine.modules import loaded_module

# NumPy, and repairs of NumPy for a program.
_BETWEEN = ("numpy.", "tf1mem.era.")
_LIBRARIES = NOT_THE_USER | {"tensorflow_probability"}
# Its assertions compare what a program's tests pass.
_ASSERTIONS = "tensorflow.python.framework.test_util"


def hold_tensors(tensor: Any) -> None:
    """Makes arrays of objects from a graph's tensors and variables, except for libraries, and with another dtype.

    A tensor that isn't in a list becomes an array without dimensions, as up to TensorFlow 1.14; 1.15 raised an error.

    Args:
        tensor: The class `tf.Tensor`.
    """
    put_around(tensor, "__array__", _or_object)
    put_around(loaded_module("python.ops.resource_variable_ops").BaseResourceVariable, "__array__", _or_object)


def _or_object(array: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `__array__` of tensors or variables, with an array that holds the object itself if it has no values."""

    def __array__(self: Any, dtype: Any = None, copy: Any = None) -> Any:  # noqa: N807
        import numpy as np

        try:
            return array(self) if dtype is None else array(self, dtype)
        except NotImplementedError:
            if (dtype is not None and np.dtype(dtype).kind != "O") or _is_for_a_library(sys._getframe(1)):
                raise
        objects: Any = np.empty(1, dtype=object)
        objects[0] = self
        return objects.reshape(())

    return __array__


def _is_for_a_library(caller: Any) -> bool:
    """Returns True if NumPy was called by a library, which may catch the error, and not by the program or its tests."""
    while caller is not None and f"{_module(caller)}.".startswith(_BETWEEN):
        caller = caller.f_back
    return caller is not None and _module(caller).partition(".")[0] in _LIBRARIES and _module(caller) != _ASSERTIONS


def _module(frame: Any) -> str:
    return str(frame.f_globals.get("__name__"))
