# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What is called as eager ops end, such as to look for values that aren't finite.

From TensorFlow 1.15's tensorflow/python/eager/execution_callbacks.py, which TensorFlow 2.1 replaced by op callbacks
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
    """What is done about a value that isn't finite."""

    IGNORE = "ignore"
    PRINT = "print"
    RAISE = "raise"
    WARN = "warn"


class InfOrNanError(Exception):
    """An eager op gave a value that isn't finite.

    Args:
        op_type: The op's type.
        op_name: Its name, or None.
        output_index: Which output it is, from 0.
        num_outputs: Of how many.
        value: The output's value.
    """

    def __init__(self, op_type: str, op_name: str | None, output_index: int, num_outputs: int, value: Any) -> None:
        self._op_type, self._op_name, self._value = op_type, op_name, value
        self._output_index, self._num_outputs = output_index, num_outputs
        counts = {"inf(s)": np.count_nonzero(np.isinf(value)), "nan(s)": np.count_nonzero(np.isnan(value))}
        found = " and ".join(f"{count} {kind}" for kind, count in counts.items() if count)
        name = op_name if op_name is None else f"'{op_name}'"
        super().__init__(
            f"Output {output_index + 1} of {num_outputs} of TFE operation {op_type} (name: {name}) contains {found} "
            f"out of a total of {np.size(value)} element(s). Tensor value: {value}"
        )

    @property
    def op_type(self) -> str:
        """The op's type."""
        return self._op_type

    @property
    def op_name(self) -> str | None:
        """The op's name, or None."""
        return self._op_name

    @property
    def output_index(self) -> int:
        """Which output it is, from 0."""
        return self._output_index

    @property
    def num_outputs(self) -> int:
        """How many outputs the op has."""
        return self._num_outputs

    @property
    def value(self) -> Any:
        """The output's value."""
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
    """A callback that looks for infinite values, and for those that are no numbers.

    Args:
        op_type: The op's type.
        inputs: Isn't used.
        attrs: Isn't used.
        outputs: The tensors that the op gave.
        op_name: Its name, or None.
        check_inf: Whether it looks for infinite values.
        check_nan: Whether it looks for those that are no numbers.
        action: What is done then: an `ExecutionCallback`, or the value of one.

    Raises:
        InfOrNanError: There is one, and the action is to raise.
        ValueError: There is no such action.
    """
    action = ExecutionCallback(action)
    for index, output in enumerate(outputs):
        # Others, such as bfloat16, TensorFlow 1 didn't look at either.
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
    """`inf_nan_callback` for infinite values alone."""
    inf_nan_callback(op_type, inputs, attrs, outputs, op_name, check_nan=False, action=action)


def nan_callback(
    op_type: str, inputs: Any, attrs: Any, outputs: Any, op_name: str | None, action: Any = ExecutionCallback.RAISE
) -> None:
    """`inf_nan_callback` for values that are no numbers alone."""
    inf_nan_callback(op_type, inputs, attrs, outputs, op_name, check_inf=False, action=action)


# In the order in which they were added.
_callbacks: list[Callback] = []


def _call(op_type: str, inputs: Any, attrs: Any, outputs: Any, op_name: str | None = None, graph: Any = None) -> None:
    if graph is None:  # op callbacks are told of ops that a graph is given, too
        for callback in tuple(_callbacks):
            callback(op_type, inputs, attrs, outputs, op_name)


def add_execution_callback(callback: Callback) -> None:
    """Has a function called as each eager op ends, and each function that runs as a graph.

    On TensorFlow 2.1 and later those of this thread alone.

    Args:
        callback: Takes the op's type, its inputs, its attributes (a tuple of names and values in turn), its outputs and
            its name, which may be None. What it returns isn't used.
    """
    _callbacks.append(callback)
    _listen()


def clear_execution_callbacks() -> None:
    """Has none of these functions called any more."""
    _callbacks.clear()


def _listen() -> None:
    context: Any = import_module("tensorflow.python.eager.context").context()
    # What the ops of TensorFlow's Python files run by.
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
    """Says what is done about values that aren't finite.

    Args:
        inf_or_nan: An `ExecutionCallback`, or the value of one; None leaves it as it is.

    Returns:
        What was done before, as `seterr` takes it.

    Raises:
        ValueError: There is no such action.
    """
    asked = None if inf_or_nan is None else ExecutionCallback(inf_or_nan)
    before = ExecutionCallback.IGNORE
    for callback in tuple(_callbacks):
        if callback == inf_nan_callback or getattr(callback, "func", None) == inf_nan_callback:
            before = getattr(callback, "keywords", {}).get("action", ExecutionCallback.RAISE)
            if asked is not None:
                _callbacks.remove(callback)
    if asked not in (None, ExecutionCallback.IGNORE):
        add_execution_callback(functools.partial(inf_nan_callback, action=asked))
    return {"inf_or_nan": before}


@contextlib.contextmanager
def errstate(inf_or_nan: Any = None) -> Iterator[None]:
    """What `seterr` says, for as long as a context lasts. In graphs it says nothing.

    Args:
        inf_or_nan: As `seterr` takes it.

    Raises:
        ValueError: There is no such action.
    """
    if not tf.executing_eagerly():
        yield
        return
    before = seterr(inf_or_nan=inf_or_nan)
    try:
        yield
    finally:
        seterr(**before)
