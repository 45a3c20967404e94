"""`fit_batch`: the largest batch that fits, found by halving and then between what fits and what doesn't."""

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
        batch_size: The largest batch size that fits.
    """

    result: Any
    batch_size: int


def fit_batch(step: Callable[[int], Any], batch_size: int, floor: int = 1) -> FittedBatch:
    """Calls `step` with a batch size that fits: the largest one up to `batch_size`.

    It halves the batch each time that TensorFlow runs out of memory, until it fits, and then goes half way up to the
    smallest that didn't, until there is none between. Of 256 that takes 17 tries at most, of 4,096 25: twice the binary
    logarithm, and one more. Each is said in a line (a warning of the logger "tf1mem", which Python prints on stderr),
    and at the end how many they were. Where `batch_size` fits there is one try, and no line.

    Every try that fits has run: a training step has trained that many times, with smaller batches first. Before the
    next try the tensors of the one before are let go, what it returned and what it held when it failed, so nothing of
    it still holds memory; the last try is the one whose result is returned.

    Args:
        step: A training step, or what stands for one: it takes the batch size.
        batch_size: The batch size to try first, and the largest.
        floor: The smallest batch size to try.

    Returns:
        The step's result and the largest batch size that fits: `result, batch_size = tf1mem.fit_batch(step, 256)`.

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
    most, least = _whole("batch_size", batch_size), _whole("floor", floor)
    if least < 1:
        raise SettingError(f"floor={least}", "is less than 1", "Give the smallest batch that is worth trying")
    if most < least:
        raise SettingError(f"batch_size={most}", f"is less than floor={least}", "Give one that is as large or larger")
    handled = sys.exc_info()[1]  # if this is called where an error is dealt with, it stays as it is
    search, tries = _Search(most, least), 0
    with explain_oom():
        while True:
            trying, tries = search.trying, tries + 1
            try:
                result = step(trying)
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                if trying == least:
                    explain(error)
                    raise
                search.failed()
                log.warning("a batch of %d is out of memory%s: trying %d", trying, _asked(error), search.trying)
                _let_go(error, handled)
            else:
                if search.fitted():
                    if tries > 1:
                        log.warning("a batch of %d is the largest that fits (%d tries)", trying, tries)
                    return FittedBatch(result, trying)
                log.warning("a batch of %d fits: trying %d", trying, search.trying)
                result = None  # it may hold memory
            snapshots.discard()
            gc.collect()  # frames and the tensors in them may lie in cycles


class _Search:
    """Search for the largest batch size that fits: which one to try next.

    Attributes:
        trying: It.
    """

    def __init__(self, most: int, least: int) -> None:
        self.trying, self._least = most, least
        self._fits: int | None = None  # the largest that did
        self._fails = most + 1  # the smallest that didn't

    def failed(self) -> None:
        """It didn't fit."""
        self._fails = self.trying
        if self._fits is not None and self._fits < self._fails:
            self.trying = (self._fits + self._fails) // 2  # the one that fits again, where none is between
        else:  # also where one that did fit doesn't any more
            self._fits, self.trying = None, max(self.trying // 2, self._least)

    def fitted(self) -> bool:
        """It fitted. Returns whether it is the largest that does."""
        if self.trying + 1 >= self._fails:
            return True
        self._fits, self.trying = self.trying, (self.trying + self._fails) // 2
        return False


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
