"""TensorFlow 1's variables: a resource variable, as Keras makes them, is a `tf.Variable` there."""

from __future__ import annotations

from typing import Any

from tf1mem.hooks.wrappers import put
from tf1mem.machine.modules import loaded_module


def take_resource_variables(variable: Any) -> None:
    """Has resource variables be instances of TensorFlow 1's class, and be initialized as those are.

    Args:
        variable: That class, from which TensorFlow 2.15 and later no longer derive them.
    """
    resource = loaded_module("python.ops.resource_variable_ops").BaseResourceVariable
    if not issubclass(resource, variable):
        variable.register(resource)
        put(resource, "initialized_value", variable.initialized_value)
