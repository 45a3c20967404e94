# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Input of estimators from generators."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from types import FunctionType, GeneratorType
from typing import Any, Callable

import tf1mem.v1 as tf


def generator_input_fn(
    x: Any,
    target_key: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    pad_value: Any = None,
) -> Callable[[], Any]:
    """Returns an input function over the rows of a generator.

    Args:
        x: Generator function that yields the rows of one epoch; a row is a dict of name -> array of any shape.
        target_key: Key of the labels in a row, or several keys; None for no labels.
        batch_size: Number of rows per batch.
        num_epochs: Number of passes over all rows; None repeats without end.
        shuffle: True for random order.
        queue_capacity: Number of rows that the queue holds.
        num_threads: Number of threads that fill the queue.
        pad_value: Value that pads arrays to the largest shape of a batch; None if all have the same shape.

    Returns:
        Function that returns a dict of name -> `[batch, ...]` tensor and, with `target_key`, the labels: a tensor, or a
        dict of tensors if there are several keys.

    Raises:
        TypeError: `x` isn't a generator function or doesn't yield dicts, or `target_key` is neither a string nor a
            collection of strings.
        KeyError: The first row lacks a key of `target_key`; for a single key the function that is returned raises it.
    """
    if not isinstance(x, FunctionType):
        raise TypeError(f"x must be generator function; got {type(x).__name__}")
    generator = x()
    if not isinstance(generator, GeneratorType):
        raise TypeError(f"x() must be generator; got {type(generator).__name__}")
    row = next(generator)
    if not isinstance(row, dict):
        raise TypeError(f"x() must yield dict; got {type(row).__name__}")
    keys = sorted(row)
    targets = (target_key,) if isinstance(target_key, str) else target_key
    if targets is not None and not isinstance(targets, Collection):
        raise TypeError(f"target_key must be str or Container of str; got {type(target_key).__name__}")
    for target in () if targets is None else targets:
        if not isinstance(target, str):
            raise TypeError(f"target_key must be str or Container of str; got {type(target).__name__}")
        if target not in keys and not isinstance(target_key, str):  # for a missing single key, input_fn raises
            raise KeyError(f"target_key not in yielded dict. Expected {keys} keys; got {target}")

    def input_fn() -> Any:
        """Returns the features, a dict of name -> `[batch, ...]` tensor, and the labels if there is a target key."""
        # If tf.estimator isn't installed, this attribute access raises an error that says so.
        inputs_package = tf.estimator.inputs.numpy_input_fn.__module__.rpartition(".")[0]
        queues = import_module(inputs_package + ".queues.feeding_functions")
        queue = queues._enqueue_data(
            x,
            queue_capacity,
            shuffle=shuffle,
            num_threads=num_threads,
            enqueue_size=batch_size,
            num_epochs=num_epochs,
            pad_value=pad_value,
        )
        dequeued = queue.dequeue_many(batch_size) if num_epochs is None else queue.dequeue_up_to(batch_size)
        features = dict(zip(keys, dequeued if isinstance(dequeued, list) else [dequeued]))
        if targets is None:
            return features
        labels = {target: features.pop(target) for target in targets}
        return features, labels if len(labels) > 1 else next(iter(labels.values()))

    return input_fn
