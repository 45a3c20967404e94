# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Callbacks that run after each eager op, for example to check for infinities and NaNs.

TensorFlow 1.15 had them in tensorflow/python/eager/execution_callbacks.py; TensorFlow 2.1 replaced them by op callbacks
(tensorflow/python/framework/op_callbacks.py).
"""

from __future__ import annotations

import contextlib
import enum
import functools
from importlib import import_module
from typing import Any, Callable, Iterator

import numpy as np

import tf1mem.v1 as tf
from tf1mem.hooks.wrappers import put

Callback = Callable[..., Any]


class ExecutionCallback(enum.Enum):
    """The action when an op's output, of any shape, has an infinity or NaN."""

    IGNORE = "ignore"
    PRINT = "print"
    RAISE = "raise"
    WARN = "warn"


class InfOrNanError(Exception):
    """Reports an infinity or NaN in the output of an eager op.

    Args:
        op_type: Type of the op.
        op_name: Name of the op, or None.
        output_index: Index of the output, from 0.
        num_outputs: Number of the op's outputs.
        value: Value of the output, an array of any shape.
    """

    def __init__(self, op_type: str, op_name: str | None, output_index: int, num_outputs: int, value: Any) -> None:
        self._op_type, self._op_name, self._value = op_type, op_name, value
        self._output_index, self._num_outputs = output_index, num_outputs
        counts = {"inf(s)": np.count_nonzero(np.isinf(value)), "nan(s)": np.count_nonzero(np.isnan(value))}
        findings = " and ".join(f"{count} {kind}" for kind, count in counts.items() if count)
        name = op_name if op_name is None else f"'{op_name}'"
        super().__init__(
            f"Output {output_index + 1} of {num_outputs} of TFE operation {op_type} (name: {name}) contains {findings} "
            f"out of a total of {np.size(value)} element(s). Tensor value: {value}"
        )

    @property
    def op_type(self) -> str:
        """Returns the type of the op, such as "MatMul"."""
        return self._op_type

    @property
    def op_name(self) -> str | None:
        """Returns the name of the op, or None."""
        return self._op_name

    @property
    def output_index(self) -> int:
        """Returns the index of the output, from 0."""
        return self._output_index

    @property
    def num_outputs(self) -> int:
        """Returns the number of the op's outputs."""
        return self._num_outputs

    @property
    def value(self) -> Any:
        """Returns the value of the output, an array of any shape."""
        return self._value


def inf_nan_callback(
    op_type: str,
    inputs: Any,
    attrs: Any,
    outputs: Any,
    op_name: str | None,
    check_inf: bool = True,
    check_nan: bool = True,
    action: Any = ExecutionCallback.RAISE,
) -> None:
    """Checks an op's outputs for infinities and NaNs.

    Args:
        op_type: Type of the op.
        inputs: Not used.
        attrs: Not used.
        outputs: Output tensors of the op, of any shape; floating dtypes but bfloat16, and complex ones, are checked.
        op_name: Name of the op, or None.
        check_inf: True to check for infinities.
        check_nan: True to check for NaNs.
        action: Action for an infinity or NaN: an `ExecutionCallback`, or its value.

    Raises:
        InfOrNanError: An output has an infinity or NaN, and the action is RAISE.
        ValueError: The action is unknown, or an output has an infinity or NaN and the action is IGNORE.
    """
    action = ExecutionCallback(action)
    for index, output in enumerate(outputs):
        # TensorFlow 1 didn't check other dtypes either, for example bfloat16.
        if not (output.dtype.is_floating or output.dtype.is_complex) or output.dtype == tf.bfloat16:
            continue
        value = output.numpy()
        if not ((check_inf and np.any(np.isinf(value))) or (check_nan and np.any(np.isnan(value)))):
            continue
        error = InfOrNanError(op_type, op_name, index, len(outputs), value)
        if action is ExecutionCallback.PRINT:
            print(f"Warning: {error}")
        elif action is ExecutionCallback.WARN:
            tf.logging.warn(str(error))
        elif action is ExecutionCallback.RAISE:
            raise error
        else:
            raise ValueError(f"Invalid action for inf_nan_callback: {action}. Valid actions are: PRINT, WARN, RAISE")


def inf_callback(
    op_type: str, inputs: Any, attrs: Any, outputs: Any, op_name: str | None, action: Any = ExecutionCallback.RAISE
) -> None:
    """Checks an op's outputs for infinities.

    Args:
        op_type: Type of the op.
        inputs: Not used.
        attrs: Not used.
        outputs: Output tensors of the op, of any shape.
        op_name: Name of the op, or None.
        action: Action for an infinity: an `ExecutionCallback`, or its value.

    Raises:
        InfOrNanError: An output has an infinity, and the action is RAISE.
    """
    inf_nan_callback(op_type, inputs, attrs, outputs, op_name, check_nan=False, action=action)


def nan_callback(
    op_type: str, inputs: Any, attrs: Any, outputs: Any, op_name: str | None, action: Any = ExecutionCallback.RAISE
) -> None:
    """Checks an op's outputs for NaNs.

    Args:
        op_type: Type of the op.
        inputs: Not used.
        attrs: Not used.
        outputs: Output tensors of the op, of any shape.
        op_name: Name of the op, or None.
        action: Action for a NaN: an `ExecutionCallback`, or its value.

    Raises:
        InfOrNanError: An output has a NaN, and the action is RAISE.
    """
    inf_nan_callback(op_type, inputs, attrs, outputs, op_name, check_inf=False, action=action)


# The callbacks, in the order in which they were added.
_callbacks: list[Callback] = []


def _call(op_type: str, inputs: Any, attrs: Any, outputs: Any, op_name: str | None = None, graph: Any = None) -> None:
    if graph is None:  # op callbacks are also called for ops that are added to a graph
        for callback in tuple(_callbacks):
            callback(op_type, inputs, attrs, outputs, op_name)


def add_execution_callback(callback: Callback) -> None:
    """Adds a callback that runs after each eager op and after each function that runs as a graph.

    From TensorFlow 2.1 on it runs only for the ops of this thread.

    Args:
        callback: Function of the op's type, its inputs, its attributes (names and values in turn), its output tensors
            (of any shape) and its name, which may be None. Its result isn't used.
    """
    _callbacks.append(callback)
    _listen()


def clear_execution_callbacks() -> None:
    """Removes all callbacks."""
    _callbacks.clear()


def _listen() -> None:
    context: Any = import_module("tensorflow.python.eager.context").context()
    # TensorFlow's Python wrappers run ops by this module's `execute`, which calls no callbacks by default.
    execute: Any = import_module("tensorflow.python.eager.execute")
    put(execute, "execute", execute.execute_with_callbacks)
    known, add = (
        (context.op_callbacks, context.add_op_callback)
        if hasattr(context, "add_op_callback")
        else (context.post_execution_callbacks, context.add_post_execution_callback)  # TensorFlow 2.0
    )
    if _call not in known:
        add(_call)


def seterr(inf_or_nan: Any = None) -> dict[str, ExecutionCallback]:
    """Sets the action for infinities and NaNs in the outputs of eager ops, of any shape.

    Args:
        inf_or_nan: An `ExecutionCallback`, or its value, such as "warn"; None leaves the action unchanged.

    Returns:
        Dict of the former action, under the name of `seterr`'s argument.

    Raises:
        ValueError: The action is unknown.
    """
    action = None if inf_or_nan is None else ExecutionCallback(inf_or_nan)
    before = ExecutionCallback.IGNORE
    for callback in tuple(_callbacks):
        if callback == inf_nan_callback or getattr(callback, "func", None) == inf_nan_callback:
            before = getattr(callback, "keywords", {}).get("action", ExecutionCallback.RAISE)
            if action is not None:
                _callbacks.remove(callback)
    if action not in (None, ExecutionCallback.IGNORE):
        add_execution_callback(functools.partial(inf_nan_callback, action=action))
    return {"inf_or_nan": before}


@contextlib.contextmanager
def errstate(inf_or_nan: Any = None) -> Iterator[None]:
    """Sets the action of `seterr` for outputs of any shape within a context; has no effect in graphs.

    Args:
        inf_or_nan: An `ExecutionCallback`, or its value, such as "warn"; None leaves the action unchanged.

    Raises:
        ValueError: The action is unknown.
    """
    if not tf.executing_eagerly():
        yield
        return
    before = seterr(inf_or_nan=inf_or_nan)
    try:
        yield
    finally:
        seterr(**before)
