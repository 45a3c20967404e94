"""Finds the package of the Keras 2 behind tf.keras, and its files: each TensorFlow has it elsewhere."""

from __future__ import annotations

from typing import Any

from tf1mem.v1._namespace import import_or_none


def keras_package(keras_class: Any) -> str:
    """Returns the dotted name of the package of Keras in which a class was defined.

    Args:
        keras_class: A class of Keras's engine, such as `Model` or `Layer`.

    Returns:
        A name such as "tf_keras.src" or "tensorflow.python.keras"; "" if the class isn't one of the engine.
    """
    package, engine, _ = str(keras_class.__module__).partition(".engine.")
    return package if engine else ""


def keras_file(keras_class: Any, file: str) -> Any:
    """Returns the module of a file of the Keras in which a class was defined; None if that Keras has no such file.

    Args:
        keras_class: A class of Keras's engine, such as `Model` or `Layer`.
        file: The file's dotted name in the package, such as "engine.base_layer_v1".
    """
    package = keras_package(keras_class)
    return import_or_none(f"{package}.{file}") if package else None
