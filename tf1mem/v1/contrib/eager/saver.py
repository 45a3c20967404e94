# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Checkpoints in eager execution, without a Session."""

from __future__ import annotations

import contextlib
from importlib import import_module
from typing import Any, Callable, Iterator

import tf1mem.v1 as tf
from tf1mem.hooks.wrappers import put_around


class Saver:
    """Saves and restores variables in eager execution, like tf.train.Saver in graphs.

    Args:
        var_list: List of variables of any shape, or a dict of name in the checkpoint -> variable.

    Raises:
        RuntimeError: Eager execution is off.
    """

    def __init__(self, var_list: Any) -> None:
        if not tf.executing_eagerly():
            raise RuntimeError("tfe.Saver: eager execution is off. Use tf.train.Saver for a graph's variables.")
        self._saver = tf.train.Saver(var_list=var_list)

    def save(self, file_prefix: str, global_step: Any = None) -> Any:
        """Writes a checkpoint, and returns its path.

        Args:
            file_prefix: Prefix of the path.
            global_step: Number for the suffix of the path, an int or an integer tensor of shape `[]`; None for none.
        """
        with tf.device("/device:CPU:0"):
            return self._saver.save(None, file_prefix, write_meta_graph=False, global_step=global_step)

    def restore(self, file_prefix: str) -> None:
        """Restores the variables from a checkpoint; the shapes must agree.

        Args:
            file_prefix: Path of the checkpoint.
        """
        with tf.device("/device:CPU:0"):
            self._saver.restore(None, file_prefix)


@contextlib.contextmanager
def restore_variables_on_create(save_path: str | None, map_func: Callable[[str], str] | None = None) -> Iterator[None]:
    """Initializes variables that are created in the context from a checkpoint's values, of the same shapes.

    Args:
        save_path: Path of the checkpoint; None has no effect.
        map_func: Function from a variable's name to its name in the checkpoint; the identity by default.

    Raises:
        ValueError: Eager execution is off, or `map_func` isn't callable.
        NotFoundError: The checkpoint lacks a variable.
    """
    if not tf.executing_eagerly():
        raise ValueError("restore_variables_on_create: eager execution is off. Use tf.train.Saver in a graph.")
    if not save_path:
        yield
        return
    if map_func is not None and not callable(map_func):
        raise ValueError("map_func must be callable.")
    reader = tf.train.load_checkpoint(save_path)
    unrestored = set(reader.get_variable_to_shape_map())
    known = frozenset(unrestored)

    def restore(variable: Any) -> None:
        """Assigns the checkpoint's value, of the same shape, the first time a variable of this name is created."""
        name = variable.name.rpartition(":")[0]
        name = map_func(name) if map_func is not None else name
        if name not in known:
            raise tf.errors.NotFoundError(None, None, f"{name} not found in checkpoint")
        if name in unrestored:
            unrestored.remove(name)
            variable.assign(reader.get_tensor(name))

    def with_restore(original: Callable[..., Any]) -> Callable[..., None]:
        def _init_from_args(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            restore(self)

        return _init_from_args

    # tf.variable_creator_scope doesn't work here: tfe.Variable is ResourceVariable itself, which bypasses that scope.
    undo = put_around(
        import_module("tensorflow.python.ops.resource_variable_ops").ResourceVariable, "_init_from_args", with_restore
    )
    try:
        yield
    finally:
        undo()


def get_optimizer_variables(optimizer: Any) -> Any:
    """Returns the variables that a tf.train.Optimizer has created; slots have the shapes of their variables.

    Args:
        optimizer: Instance of tf.train.Optimizer.
    """
    return optimizer.variables()
