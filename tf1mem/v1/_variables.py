"""Makes resource variables instances of `tf.Variable`, as they are in TensorFlow 1."""

from __future__ import annotations

from typing import Any

from tf1mem.hooks.wrappers import put
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
