# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What optimizers share whose workers train variables of their own, and meet now and then."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf

GLOBAL_VARIABLE_NAME = "global_center_variable"


class Companions:
    """A custom getter that makes local variables, and for each a global and another local one.

    Args:
        worker_device: Where local variables are.
        other_name: Before the name of the other local one.
    """

    def __init__(self, worker_device: str, other_name: str) -> None:
        self._worker_device = worker_device
        self._other_name = other_name
        self._global_map: dict[Any, Any] = {}
        self._other_map: dict[Any, Any] = {}

    def __call__(self, getter: Any, name: str, trainable: bool, collections: Any, *args: Any, **kwargs: Any) -> Any:
        if not trainable:
            return self._not_trained(getter, name, collections, *args, trainable=trainable, **kwargs)
        with tf.device(self._worker_device):
            local = getter(name, *args, trainable=True, collections=[tf.GraphKeys.LOCAL_VARIABLES], **kwargs)
        if kwargs["reuse"] is True:
            return local

        def companion(prefix: str, collection: str) -> Any:
            return getter(*args, name=f"{prefix}/{name}", trainable=False, collections=[collection], **kwargs)

        center = companion(GLOBAL_VARIABLE_NAME, tf.GraphKeys.GLOBAL_VARIABLES)
        with tf.device(self._worker_device):
            other = companion(self._other_name, tf.GraphKeys.LOCAL_VARIABLES)
        whole = kwargs["partitioner"] is None
        for one, of_all, beside in [(local, center, other)] if whole else zip(local, center, other):
            self._global_map[one] = of_all
            self._other_map[one] = beside
        return local

    def _not_trained(self, getter: Any, name: str, collections: Any, *args: Any, **kwargs: Any) -> Any:
        return getter(name, *args, collections=collections, **kwargs)


def on_worker(device: str, getter: Any, name: str, collections: Any, *args: Any, **kwargs: Any) -> Any:
    """A variable that isn't trained: at the worker if it is local, else where the program has it."""
    if tf.GraphKeys.LOCAL_VARIABLES not in (collections or ()):
        return getter(name, *args, collections=collections, **kwargs)
    with tf.device(device):
        return getter(name, *args, collections=collections, **kwargs)


def local_step() -> Any:
    """A worker's count of its steps."""
    return tf.get_variable(
        initializer=0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name="local_step"
    )


class InitHook(tf.train.SessionRunHook):
    """Initializes a worker's variables by `init_op` when its session starts.

    Args:
        optimizer: Whose `get_init_op` makes the op.
        is_chief: Whether global variables are initialized here.
        task_index: Of the worker.
    """

    def __init__(self, optimizer: Any, is_chief: bool, task_index: int) -> None:
        self._optimizer = optimizer
        self._is_chief = is_chief
        self._task_index = task_index

    def begin(self) -> None:
        self._local_init_op = tf.local_variables_initializer()
        self._global_init_op = tf.global_variables_initializer() if self._is_chief else None
        self._variable_init_op = self._optimizer.get_init_op(self._task_index)

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._variable_init_op)
