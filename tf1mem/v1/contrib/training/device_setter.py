# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Strategies that assign variables to parameter servers, for tf.train.replica_device_setter."""

from __future__ import annotations

import hashlib
from typing import Any, Callable

import numpy as np

import tf1mem.v1 as tf


class RandomStrategy:
    """Assigns an op to a task by the hash of its name: md5 of "NAME_SEED", modulo the number of tasks.

    Args:
        num_ps_tasks: Number of parameter servers' tasks.
        seed: Seed of the hash; 0 by default.
    """

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        self._num_tasks = num_ps_tasks
        self._seed = seed

    def __call__(self, op: Any) -> int:
        """Returns the task of an op, from 0 to `num_ps_tasks - 1`."""
        key = f"{op.name}_{self._seed}".encode()
        return int(hashlib.md5(key).hexdigest(), 16) % self._num_tasks


class GreedyLoadBalancingStrategy:
    """Assigns an op to the task with the least load so far; of equal loads, to the first task.

    Args:
        num_tasks: Number of parameter servers' tasks.
        load_fn: Function from an op to its load in any unit, such as `byte_size_load_fn`, which uses static shapes.
    """

    def __init__(self, num_tasks: int, load_fn: Callable[[Any], float]) -> None:
        self._load_fn = load_fn
        self._ps_loads = np.zeros(num_tasks)

    def __call__(self, op: Any) -> Any:
        """Returns the task of an op, and adds the op's load to the task."""
        task = np.argmin(self._ps_loads)
        self._ps_loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: Any) -> int:
    """Returns the size in bytes of an op's single output, by its static shape.

    Args:
        op: An op, usually a variable's.

    Raises:
        ValueError: The op has several outputs, or its shape is unknown.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output")
    output = op.outputs[0]
    shape = output.get_shape()
    if not shape.is_fully_defined():
        # A scalar variable's output has no shape yet while its op is placed.
        shape = tf.TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    size: int = shape.num_elements() * output.dtype.size
    return size
