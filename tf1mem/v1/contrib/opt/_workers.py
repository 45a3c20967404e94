# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Helpers of optimizers whose workers train their own variables and synchronize periodically."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf

GLOBAL_VARIABLE_NAME = "global_center_variable"


class LocalAndGlobalGetter:
    """A custom getter that makes trainable variables local, each with a global and a second local one of its shape.

    Args:
        worker_device: Device of the local variables.
        other_name: Prefix of the second local variable's name.
    """

    def __init__(self, worker_device: str, other_name: str) -> None:
        self._worker_device = worker_device
        self._other_name = other_name
        self._global_map: dict[Any, Any] = {}
        self._other_map: dict[Any, Any] = {}

    def __call__(self, getter: Any, name: str, trainable: bool, collections: Any, *args: Any, **kwargs: Any) -> Any:
        if not trainable:
            return self._get_non_trainable(getter, name, collections, *args, trainable=trainable, **kwargs)
        with tf.device(self._worker_device):
            local = getter(name, *args, trainable=True, collections=[tf.GraphKeys.LOCAL_VARIABLES], **kwargs)
        if kwargs["reuse"] is True:
            return local

        def make_companion(prefix: str, collection: str) -> Any:
            """Returns a new companion variable, which has the variable's shape."""
            return getter(*args, name=f"{prefix}/{name}", trainable=False, collections=[collection], **kwargs)

        center = make_companion(GLOBAL_VARIABLE_NAME, tf.GraphKeys.GLOBAL_VARIABLES)
        with tf.device(self._worker_device):
            other = make_companion(self._other_name, tf.GraphKeys.LOCAL_VARIABLES)
        is_unpartitioned = kwargs["partitioner"] is None
        for local_part, center_part, other_part in (
            [(local, center, other)] if is_unpartitioned else zip(local, center, other)
        ):
            self._global_map[local_part] = center_part
            self._other_map[local_part] = other_part
        return local

    def _get_non_trainable(self, getter: Any, name: str, collections: Any, *args: Any, **kwargs: Any) -> Any:
        return getter(name, *args, collections=collections, **kwargs)


def on_worker(device: str, getter: Any, name: str, collections: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns a new variable that is not trainable: on the worker if it is local, else on the program's device.

    Args:
        device: Device of the worker.
        getter: Function that makes the variable, such as that of a custom getter.
        name: Name of the variable.
        collections: Collections of the variable; it is local if LOCAL_VARIABLES is among them.
        *args: Arguments of the getter, such as the variable's shape.
        **kwargs: Arguments of the getter.
    """
    if tf.GraphKeys.LOCAL_VARIABLES not in (collections or ()):
        return getter(name, *args, collections=collections, **kwargs)
    with tf.device(device):
        return getter(name, *args, collections=collections, **kwargs)


def local_step() -> Any:
    """Returns a new step counter of the worker, an int32 variable of shape `[]`."""
    return tf.get_variable(
        initializer=0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name="local_step"
    )


class InitHook(tf.train.SessionRunHook):
    """Initializes a worker's variables when its session starts: sets them to the global ones, of the same shapes.

    Args:
        optimizer: Optimizer with a `get_init_op`.
        is_chief: True if this worker initializes the global variables.
        task_index: Index of the worker.
    """

    def __init__(self, optimizer: Any, is_chief: bool, task_index: int) -> None:
        self._optimizer = optimizer
        self._is_chief = is_chief
        self._task_index = task_index

    def begin(self) -> None:
        """Makes the initialization ops; the optimizer's sets variables to the centers, which have their shapes."""
        self._local_init_op = tf.local_variables_initializer()
        self._global_init_op = tf.global_variables_initializer() if self._is_chief else None
        self._variable_init_op = self._optimizer.get_init_op(self._task_index)

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Runs the optimizer's initialization op, which sets variables to the centers, which have their shapes."""
        session.run(self._variable_init_op)
