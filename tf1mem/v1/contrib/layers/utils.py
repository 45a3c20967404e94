# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What layers share: outputs under aliases, collections of variables, conditions and sizes known beforehand."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any, Callable, Iterable

from tensorflow.python.ops.variables import Variable  # What tf.Variable is only one kind of.

import tf1mem.v1 as tf

NamedOutputs = namedtuple("NamedOutputs", ["name", "outputs"])


def collect_named_outputs(collections: Any, alias: str, outputs: Any) -> Any:
    """The outputs; where there are collections they are put there, under an alias.

    Args:
        collections: The name of a collection, or names of several.
        alias: The alias.
        outputs: A tensor.
    """
    if collections:
        append_tensor_alias(outputs, alias)
        tf.add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """The tensor, with one more alias."""
    tensor.aliases = [*getattr(tensor, "aliases", ()), alias[:-1] if alias.endswith("/") else alias]
    return tensor


def gather_tensors_aliases(tensors: Iterable[Any]) -> list[str]:
    """The aliases of all tensors."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def get_tensor_aliases(tensor: Any) -> list[str]:
    """The aliases of a tensor; its name, where it has none."""
    if hasattr(tensor, "aliases"):
        aliases: list[str] = tensor.aliases
        return aliases
    return [tensor.op.name if tensor.name.endswith(":0") else tensor.name]


def convert_collection_to_dict(collection: str, clear_collection: bool = False) -> OrderedDict[str, Any]:
    """An alias -> a tensor, for the tensors of a collection.

    Args:
        collection: The collection.
        clear_collection: Whether it is empty afterwards.
    """
    found = OrderedDict(
        (alias, tensor) for tensor in tf.get_collection(collection) for alias in get_tensor_aliases(tensor)
    )
    if clear_collection:
        tf.get_default_graph().clear_collection(collection)
    return found


def constant_value(value_or_tensor_or_var: Any, dtype: Any = None) -> Any:
    """The value, where it is known before a session runs, or None.

    Raises:
        ValueError: It is None, or a tensor of another type than `dtype`.
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
    """What the first function returns if `pred`, else what the second does.

    Raises:
        TypeError: One of them isn't callable.
    """
    for name, function in (("fn1", fn1), ("fn2", fn2)):
        if not callable(function):
            raise TypeError(f"{name} must be callable.")
    return fn1() if pred else fn2()


def smart_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any], name: str | None = None) -> Any:
    """`static_cond` where the condition is known before a session runs, else `tf.cond`."""
    known = constant_value(pred)
    return tf.cond(pred, fn1, fn2, name=name) if known is None else static_cond(known, fn1, fn2)


def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """The collections that a layer's argument names for one of its variables.

    Args:
        variables_collections: A list for all variables; or a dict, the name of a variable -> a list.
        name: "weights", "biases", ….
    """
    return variables_collections.get(name) if isinstance(variables_collections, dict) else variables_collections


def channel_dimension(shape: Any, data_format: str, min_rank: int = 1) -> int:
    """The size of the channels' dimension; see `last_dimension`.

    Args:
        data_format: "channels_first" or "channels_last".
    """
    return _size(shape, 1 if data_format == "channels_first" else -1, min_rank)


def last_dimension(shape: Any, min_rank: int = 1) -> int:
    """The size of the last dimension.

    Args:
        shape: A TensorShape.
        min_rank: How many dimensions there have to be.

    Raises:
        ValueError: There are fewer, or it isn't known.
    """
    return _size(shape, -1, min_rank)


def _size(shape: Any, axis: int, min_rank: int) -> int:
    if shape.ndims is None:
        raise ValueError("shape: its rank isn't known. Give one whose rank is.")
    if shape.ndims < min_rank:
        raise ValueError("shape: a rank of %d or more is needed, and this has %d" % (min_rank, shape.ndims))
    size: int | None = shape.as_list()[axis]
    if size is None:
        raise ValueError(f"dimension {axis} of shape must be known but is None: {shape}")
    return size


def two_element_tuple(int_or_tuple: Any) -> Any:
    """Two numbers, of one that is meant twice, of a list, or of a TensorShape.

    Raises:
        ValueError: It is none of these.
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
    """A number n times, or a sequence of n numbers.

    Raises:
        ValueError: `n` isn't a positive integer, there are not n numbers, or one isn't positive.
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
