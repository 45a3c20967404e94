# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Python functions as ops, with nested arguments and results (tf.contrib.framework)."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from tensorflow.python.util import nest

import tf1mem.v1 as tf


def py_func(
    func: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    output_types: Any = None,
    output_shapes: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the results of a Python function that is called with arrays when the graph runs.

    Args:
        func: The function.
        args: List or tuple of its arguments: tensors of any shape, or nests of tensors.
        kwargs: Dict of its keyword arguments, of the same kinds.
        output_types: Dtypes of the results, nested like the results; or a function of the arguments that returns them.
        output_shapes: Shapes of the results, nested like the results; or a function of the arguments that returns them.
        stateful: False if equal arguments always give equal results.
        name: Name of the op.

    Raises:
        TypeError: `args` is no list or tuple, or `kwargs` no dict.
    """
    kwargs = {} if kwargs is None else kwargs
    if not isinstance(args, (list, tuple)):
        raise TypeError(f"args must be a list or tuple and not {type(args)}: {args!r}")
    if not isinstance(kwargs, dict):
        raise TypeError(f"kwargs must be a dict and not {type(kwargs)}: {kwargs!r}")
    if callable(output_types):
        output_types = output_types(*args, **kwargs)
    if callable(output_shapes):
        output_shapes = output_shapes(*args, **kwargs)
    arguments = (args, kwargs)

    def call(*flat: Any) -> list[Any]:
        """Calls the function with arrays of any shape; returns the flat list of its results."""
        positional, by_name = nest.pack_sequence_as(arguments, flat)
        result = func(*positional, **by_name)
        nest.assert_shallow_structure(output_types, result)
        flat_result: list[Any] = nest.flatten(result)
        return flat_result

    results = tf.py_func(call, nest.flatten(arguments), nest.flatten(output_types), stateful=stateful, name=name)
    if output_shapes is not None:
        shapes = nest.map_structure_up_to(output_types, tf.TensorShape, output_shapes)
        for result, shape in zip(results, nest.flatten_up_to(output_types, shapes)):
            result.set_shape(shape)
    return nest.pack_sequence_as(output_types, results)
