"""Makes resource variables instances of `tf.Variable`, as they are in TensorFlow 1, with the same errors."""

from __future__ import annotations

import functools
from typing import Any, Callable

from tf1mem.hooks.wrappers import put, put_around_once
from tf1mem.machine.modules import loaded_module


def take_resource_variables(variable: Any) -> None:
    """Makes resource variables instances of TensorFlow 1's class, and gives them `initialized_value`.

    Args:
        variable: The class `tf.Variable`, from which resource variables aren't derived since TensorFlow 2.15.
    """
    resource = loaded_module("python.ops.resource_variable_ops").BaseResourceVariable
    if not issubclass(resource, variable):
        variable.register(resource)
        put(resource, "initialized_value", variable.initialized_value)
    for conversion in ("float", "int", "complex"):
        if hasattr(resource, f"__{conversion}__"):
            put_around_once(resource, f"__{conversion}__", functools.partial(_refusing_in_graphs, conversion))


def _refusing_in_graphs(conversion: str, own: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Returns a variable's method that raises TensorFlow 1's TypeError in a graph, where it has no value.

    Args:
        conversion: Name of the builtin that calls the method.
        own: The variable's method.
    """

    def convert(self: Any) -> Any:
        is_own = conversion == "int" and self.dtype.is_integer
        if not is_own and not loaded_module("python.eager.context").executing_eagerly():
            raise TypeError(f"{conversion}() argument must be a string or a number, not '{type(self).__name__}'")
        return own(self)

    return convert
