# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Ways of spreading variables over parameter servers, for tf.train.replica_device_setter."""

from __future__ import annotations

import hashlib
from typing import Any, Callable

import numpy as np

import tf1mem.v1 as tf


class RandomStrategy:
    """A task for each op by the hash of its name.

    Args:
        num_ps_tasks: How many tasks there are.
        seed: Another seed is another spread.
    """

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        self._num_tasks = num_ps_tasks
        self._seed = seed

    def __call__(self, op: Any) -> int:
        """The task of an op."""
        key = f"{op.name}_{self._seed}".encode()
        return int(hashlib.md5(key).hexdigest(), 16) % self._num_tasks


class GreedyLoadBalancingStrategy:
    """The task with the least load so far, op by op.

    Args:
        num_tasks: How many tasks there are.
        load_fn: Returns the load of an op, in any unit.
    """

    def __init__(self, num_tasks: int, load_fn: Callable[[Any], float]) -> None:
        self._load_fn = load_fn
        self._ps_loads = np.zeros(num_tasks)

    def __call__(self, op: Any) -> Any:
        """The task of an op, which then has its load."""
        task = np.argmin(self._ps_loads)
        self._ps_loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: Any) -> int:
    """The bytes of an op's only output.

    Args:
        op: An op, as a rule a variable's.

    Raises:
        ValueError: It has several outputs, or its shape isn't known.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output")
    output = op.outputs[0]
    shape = output.get_shape()
    if not shape.is_fully_defined():
        # The output of a scalar variable's op is without a shape while the op is placed.
        shape = tf.TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    size: int = shape.num_elements() * output.dtype.size
    return size
