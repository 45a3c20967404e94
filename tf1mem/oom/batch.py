"""`fit_batch`: the largest batch that fits, found by halving."""

from __future__ import annotations

import gc
import logging
import operator
import sys
import traceback
from typing import Any, Callable, NamedTuple

from tf1mem.errors import SettingError, SettingTypeError
from tf1mem.oom import snapshots
from tf1mem.oom.errors import is_out_of_memory
from tf1mem.oom.explanation import explain, explain_oom
from tf1mem.oom.messages import parse
from tf1mem.settings.units import size

log = logging.getLogger("tf1mem")


class FittedBatch(NamedTuple):
    """What `fit_batch` returns.

    Attributes:
        result: What the step returned.
        batch_size: The batch size that fitted.
    """

    result: Any
    batch_size: int


def fit_batch(step: Callable[[int], Any], batch_size: int, floor: int = 1) -> FittedBatch:
    """Calls `step(batch_size)`, and again with half the batch each time that TensorFlow runs out of memory.

    Each time it is said in a line (a warning of the logger "tf1mem", which Python prints on stderr). Before the next
    try the failed step's tensors are let go, so nothing of it still holds memory.

    Args:
        step: A training step, or what stands for one: it takes the batch size.
        batch_size: The batch size to try first.
        floor: The smallest batch size to try.

    Returns:
        The step's result and the batch size that fitted: `result, batch_size = tf1mem.fit_batch(step, 256)`.

    Raises:
        tf.errors.ResourceExhaustedError: Even `floor` doesn't fit. It is TensorFlow's own error, explained.
        tf.errors.InternalError: The same, of a copy to the GPU: "Dst tensor is not initialized".
        tf.errors.FailedPreconditionError: The same, of a GPU too full for any op: "Failed to allocate scratch buffer".
        tf.errors.UnknownError: The same, of a convolution: "CUDNN failed to allocate the scratch space".
        SettingError: `floor` is less than 1, or more than `batch_size`.
        SettingTypeError: `step` can't be called, or a size is no whole number.
        Exception: Whatever else the step raises.
    """
    if not callable(step):
        raise SettingTypeError(f"step={step!r}", "can't be called", "Give a function of the batch size")
    trying, least = _whole("batch_size", batch_size), _whole("floor", floor)
    if least < 1:
        raise SettingError(f"floor={least}", "is less than 1", "Give the smallest batch that is worth trying")
    if trying < least:
        raise SettingError(f"batch_size={trying}", f"is less than floor={least}", "Give one that is as large or larger")
    handled = sys.exc_info()[1]  # if this is called where an error is dealt with, it stays as it is
    with explain_oom():
        while True:
            try:
                return FittedBatch(step(trying), trying)
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                if trying == least:
                    explain(error)
                    raise
                smaller = max(trying // 2, least)
                log.warning("a batch of %d is out of memory%s: trying %d", trying, _asked(error), smaller)
                _let_go(error, handled)
            snapshots.discard()
            gc.collect()  # frames and the tensors in them may lie in cycles
            trying = smaller


def _whole(name: str, value: Any) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise SettingTypeError(f"{name}={value!r}", "is not a whole number", "Give one such as 64") from None


def _asked(error: BaseException) -> str:
    request = parse(str(error))
    if request is None or request.size_bytes is None:
        return ""
    return " ({} asked for{})".format(size(request.size_bytes), " on " + request.device if request.device else "")


def _let_go(error: BaseException | None, handled: BaseException | None) -> None:
    """Empties the frames that the error, and those before it, hold on to; not those of one from before the step."""
    seen = {id(handled)}
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if error.__traceback__ is not None:
            traceback.clear_frames(error.__traceback__)
            error.__traceback__ = None
        error = error.__cause__ or error.__context__
