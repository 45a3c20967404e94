"""Makes resource variables instances of `tf.Variable`, as they are in TensorFlow 1, with the same errors."""

from __future__ import annotations

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
    if hasattr(resource, "__float__"):
        put_around_once(resource, "__float__", _refusing_in_graphs)


def _refusing_in_graphs(own: Callable[[Any], float]) -> Callable[[Any], float]:
    """Returns a variable's `__float__` that raises TensorFlow 1's TypeError in a graph, where it has no value."""

    def __float__(self: Any) -> float:  # noqa: N807
        if not loaded_module("python.eager.context").executing_eagerly():
            raise TypeError(f"float() argument must be a string or a number, not '{type(self).__name__}'")
        return own(self)

    return __float__
