# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Checkpoints by names, without a Session."""

from __future__ import annotations

import contextlib
from importlib import import_module
from typing import Any, Callable, Iterator

import tf1mem.v1 as tf
from tf1mem.hooks.wrappers import put_around


class Saver:
    """A tf.train.Saver for eager execution.

    Args:
        var_list: Variables, or a dict of them by their names in the checkpoint.

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
            file_prefix: What the path begins with.
            global_step: A number for its end.
        """
        with tf.device("/device:CPU:0"):
            return self._saver.save(None, file_prefix, write_meta_graph=False, global_step=global_step)

    def restore(self, file_prefix: str) -> None:
        """Reads a checkpoint's values into the variables.

        Args:
            file_prefix: The checkpoint's path.
        """
        with tf.device("/device:CPU:0"):
            self._saver.restore(None, file_prefix)


@contextlib.contextmanager
def restore_variables_on_create(save_path: str | None, map_func: Callable[[str], str] | None = None) -> Iterator[None]:
    """Has variables that are made inside begin with a checkpoint's values.

    Args:
        save_path: The checkpoint's path; None for none.
        map_func: Turns a variable's name into that in the checkpoint.

    Raises:
        ValueError: Eager execution is off, or `map_func` is no function.
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
    left = set(reader.get_variable_to_shape_map())
    known = frozenset(left)

    def restore(variable: Any) -> None:
        name = variable.name.rpartition(":")[0]
        name = map_func(name) if map_func is not None else name
        if name not in known:
            raise tf.errors.NotFoundError(None, None, f"{name} not found in checkpoint")
        if name in left:
            left.remove(name)
            variable.assign(reader.get_tensor(name))

    def restored(own: Callable[..., Any]) -> Callable[..., None]:
        def _init_from_args(self: Any, *args: Any, **kwargs: Any) -> None:
            own(self, *args, **kwargs)
            restore(self)

        return _init_from_args

    # Not by tf.variable_creator_scope, which isn't asked where a program calls tfe.Variable, this class.
    undo = put_around(
        import_module("tensorflow.python.ops.resource_variable_ops").ResourceVariable, "_init_from_args", restored
    )
    try:
        yield
    finally:
        undo()


def get_optimizer_variables(optimizer: Any) -> Any:
    """The variables that a tf.train.Optimizer has made."""
    return optimizer.variables()
