# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Generators as input of estimators."""

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
    """An input function over dicts of arrays that a generator yields, a row each.

    Args:
        x: Makes the generator of one epoch.
        target_key: Which of a dict are the labels: a name, or several.
        batch_size: Rows of a batch.
        num_epochs: How often all rows are taken; None for ever.
        shuffle: Whether in random order.
        queue_capacity: Rows that are read ahead.
        num_threads: Threads that read.
        pad_value: What fills up arrays of other sizes.

    Raises:
        TypeError: `x` is no generator function, or doesn't yield dicts; `target_key` is neither text nor texts.
        KeyError: The dicts have no such key.
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
        if target not in keys and not isinstance(target_key, str):  # a single one is missed when it is taken
            raise KeyError(f"target_key not in yielded dict. Expected {keys} keys; got {target}")

    def input_fn() -> Any:
        # tf.estimator says what is missing where it isn't there.
        inputs = tf.estimator.inputs.numpy_input_fn.__module__.rpartition(".")[0]
        queues = import_module(inputs + ".queues.feeding_functions")
        queue = queues._enqueue_data(
            x,
            queue_capacity,
            shuffle=shuffle,
            num_threads=num_threads,
            enqueue_size=batch_size,
            num_epochs=num_epochs,
            pad_value=pad_value,
        )
        taken = queue.dequeue_many(batch_size) if num_epochs is None else queue.dequeue_up_to(batch_size)
        features = dict(zip(keys, taken if isinstance(taken, list) else [taken]))
        if targets is None:
            return features
        labels = {target: features.pop(target) for target in targets}
        return features, labels if len(labels) > 1 else next(iter(labels.values()))

    return input_fn
