# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Helpers of the layers: output aliases, variables' collections, conditions, and static sizes."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any, Callable, Iterable

from tensorflow.python.ops.variables import Variable  # Base class of tf.Variable and of other kinds of variable.

import tf1mem.v1 as tf

NamedOutputs = namedtuple("NamedOutputs", ["name", "outputs"])


def collect_named_outputs(collections: Any, alias: str, outputs: Any) -> Any:
    """Adds the outputs to collections under an alias and returns them unchanged.

    Args:
        collections: Name of a collection, or a list of names; None for none.
        alias: Name for the outputs, such as that of their layer.
        outputs: Tensor of any shape.
    """
    if collections:
        append_tensor_alias(outputs, alias)
        tf.add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """Returns the tensor (any shape) with one more alias."""
    tensor.aliases = [*getattr(tensor, "aliases", ()), alias[:-1] if alias.endswith("/") else alias]
    return tensor


def gather_tensors_aliases(tensors: Iterable[Any]) -> list[str]:
    """Returns the aliases of all tensors, whatever their shapes."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def get_tensor_aliases(tensor: Any) -> list[str]:
    """Returns the aliases of a tensor of any shape; its name if it has none."""
    if hasattr(tensor, "aliases"):
        aliases: list[str] = tensor.aliases
        return aliases
    return [tensor.op.name if tensor.name.endswith(":0") else tensor.name]


def convert_collection_to_dict(collection: str, clear_collection: bool = False) -> OrderedDict[str, Any]:
    """Returns a collection as a dict, alias -> tensor of any shape.

    Args:
        collection: Name of the collection.
        clear_collection: True to empty the collection.
    """
    by_alias = OrderedDict(
        (alias, tensor) for tensor in tf.get_collection(collection) for alias in get_tensor_aliases(tensor)
    )
    if clear_collection:
        tf.get_default_graph().clear_collection(collection)
    return by_alias


def constant_value(value_or_tensor_or_var: Any, dtype: Any = None) -> Any:
    """Returns the Python or NumPy value of a tensor of any shape if it is known statically, else None.

    Args:
        value_or_tensor_or_var: A value, which is returned as it is, a tensor or a variable.
        dtype: Dtype that a tensor must have.

    Raises:
        ValueError: The value is None, or a tensor of another dtype.
    """
    value = value_or_tensor_or_var
    if value is None:
        raise ValueError("value_or_tensor_or_var cannot be None")
    variable = isinstance(value, Variable)
    if not variable and not isinstance(value, tf.Tensor):
        return value
    if dtype and value.dtype != dtype:
        raise ValueError(f"It has the wrong type {value.dtype} instead of {dtype}")
    return None if variable else tf.get_static_value(value)


def static_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any]) -> Any:
    """Returns the result of `fn1` if `pred` is true, else of `fn2`.

    Args:
        pred: A Python bool, not a tensor.
        fn1: Function without arguments, called if `pred` is true; results may have any shape.
        fn2: Function without arguments, called if `pred` is false.

    Raises:
        TypeError: A function isn't callable.
    """
    for name, function in (("fn1", fn1), ("fn2", fn2)):
        if not callable(function):
            raise TypeError(f"{name} must be callable.")
    return fn1() if pred else fn2()


def smart_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any], name: str | None = None) -> Any:
    """Returns the result of `fn1` or `fn2`: by `static_cond` if the condition is known statically, else by `tf.cond`.

    Args:
        pred: A bool, or a bool tensor of shape `[]`.
        fn1: Function without arguments, for a true condition.
        fn2: Function without arguments, for a false condition.
        name: Name scope of the condition.
    """
    known = constant_value(pred)
    return tf.cond(pred, fn1, fn2, name=name) if known is None else static_cond(known, fn1, fn2)


def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """Returns the names of the collections of one of a layer's variables, or None for no collections.

    Args:
        variables_collections: The layer's argument: a list for all variables, such as `["losses", "all"]`; or a dict,
            name of a variable -> list.
        name: Name of the variable: "weights", "biases", ….
    """
    return variables_collections.get(name) if isinstance(variables_collections, dict) else variables_collections


def channel_dimension(shape: Any, data_format: str, min_rank: int = 1) -> int:
    """Returns the size of the channels' axis.

    Args:
        shape: A TensorShape, such as `[batch, height, width, channels]`.
        data_format: "channels_first" for channels on axis 1, "channels_last" for the last axis.
        min_rank: Minimum rank of the shape.

    Raises:
        ValueError: The rank is unknown or too small, or the size is unknown.
    """
    return _size(shape, 1 if data_format == "channels_first" else -1, min_rank)


def last_dimension(shape: Any, min_rank: int = 1) -> int:
    """Returns the size of the last axis.

    Args:
        shape: A TensorShape.
        min_rank: Minimum rank of the shape.

    Raises:
        ValueError: The rank is lower, or the size is unknown.
    """
    return _size(shape, -1, min_rank)


def _size(shape: Any, axis: int, min_rank: int) -> int:
    if shape.ndims is None:
        raise ValueError("shape: the rank is unknown. Give a shape of known rank.")
    if shape.ndims < min_rank:
        raise ValueError(f"shape: its rank is {shape.ndims}. Give a shape of rank {min_rank} or more.")
    size: int | None = shape.as_list()[axis]
    if size is None:
        raise ValueError(f"dimension {axis} of shape must be known but is None: {shape}")
    return size


def two_element_tuple(int_or_tuple: Any) -> Any:
    """Returns two ints from one int, a list or tuple of two, or a TensorShape of rank 2.

    Raises:
        ValueError: The value is none of these.
    """
    if isinstance(int_or_tuple, tf.TensorShape):
        if int_or_tuple.ndims == 2:
            return int_or_tuple[0], int_or_tuple[1]
    elif isinstance(int_or_tuple, (list, tuple)):
        if len(int_or_tuple) != 2:
            raise ValueError(f"Must be a list with 2 elements: {int_or_tuple}")
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    elif isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    raise ValueError(f"{int_or_tuple!r}: neither one size nor two. Give an int, two ints, or a TensorShape of two.")


def n_positive_integers(n: Any, value: Any) -> tuple[int, ...]:
    """Returns a tuple of n positive ints, from one int or a sequence of n, such as the `[height, width]` of a window.

    Args:
        n: Length of the tuple, such as the number of spatial axes.
        value: An int, which is repeated, or a sequence of `n` ints.

    Raises:
        ValueError: `n` or a number isn't positive, or the sequence has another length.
    """
    if int(n) != n or n < 1:
        raise ValueError("n must be a positive integer")
    try:
        numbers = (int(value),) * int(n)
    except (TypeError, ValueError):
        try:
            numbers = tuple(int(each) for each in value)
        except (TypeError, ValueError):
            numbers = ()
        if len(numbers) != n:
            raise ValueError("Expected sequence of %d positive integers, but received %r" % (n, value)) from None
    for each in numbers:
        if each < 1:
            raise ValueError("expected positive integer, but received %d" % each)
    return numbers
