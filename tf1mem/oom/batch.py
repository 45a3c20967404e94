"""`fit_batch`: finds the largest batch size that fits, by halving and then by bisection."""

from __future__ import annotations

import gc
import logging
import operator
import sys
import traceback
from typing import Any, Callable, NamedTuple

from tf1mem.errors import SettingError, SettingTypeError
from tf1mem.oom import snapshots
from tf1mem.oom.explanation import explain, explain_oom
from tf1mem.oom.messages import parse
from tf1mem.oom.oom_errors import is_out_of_memory
from tf1mem.settings.units import size

log = logging.getLogger("tf1mem")


class FittedBatch(NamedTuple):
    """The result of `fit_batch`.

    Attributes:
        result: The value that the step returned.
        batch_size: The largest batch size that fits.
    """

    result: Any
    batch_size: int


def fit_batch(step: Callable[[int], Any], batch_size: int, floor: int = 1) -> FittedBatch:
    """Calls `step` with a batch size that fits: the largest one up to `batch_size`.

    It halves the batch size each time TensorFlow runs out of memory. Once a size fits, it bisects between the largest
    size that fits and the smallest that doesn't. That takes at most two tries more than the binary logarithm of
    `batch_size`, rounded up: 10 tries from 256, 14 from 4,096. It takes more if a size fits once, and later no longer.
    Each try is logged (a warning of the logger "tf1mem", which Python prints on stderr), and at the end the number of
    tries. If `batch_size` fits, there is one try and no log line.

    Every try that fits has really run: a training step has trained that many times, with smaller batches first. Before
    the next try, the previous try's result and the tensors that it held when it failed are freed. The result returned
    is the last try's.

    Args:
        step: A function of the batch size that runs one step, such as a training step.
        batch_size: The batch size to try first, which is also the largest.
        floor: The smallest batch size to try.

    Returns:
        The step's result and the largest batch size that fits: `result, batch_size = tf1mem.fit_batch(step, 256)`.

    Raises:
        tf.errors.ResourceExhaustedError: Even `floor` doesn't fit. It is TensorFlow's own error, explained.
        tf.errors.InternalError: The same for a copy to the GPU: "Dst tensor is not initialized".
        tf.errors.FailedPreconditionError: The same for a GPU too full for any op: "Failed to allocate scratch buffer".
        tf.errors.UnknownError: The same for a convolution: "CUDNN failed to allocate the scratch space".
        SettingError: `floor` is less than 1, or more than `batch_size`.
        SettingTypeError: `step` isn't callable, or a size isn't a whole number.
        Exception: Any other error that the step raises.
    """
    if not callable(step):
        raise SettingTypeError(f"step={step!r}", "can't be called", "Give a function of the batch size")
    most, least = _whole("batch_size", batch_size), _whole("floor", floor)
    if least < 1:
        raise SettingError(f"floor={least}", "is less than 1", "Give the smallest batch that is worth trying")
    if most < least:
        raise SettingError(f"batch_size={most}", f"is less than floor={least}", "Give one that is as large or larger")
    handled = sys.exc_info()[1]  # the error of an `except` block around this call, or None: its frames stay as they are
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
                log.warning("a batch of %d is out of memory%s: trying %d", trying, _requested(error), search.trying)
                _free_frames(error, handled)
            else:
                if search.fitted():
                    if tries > 1:
                        log.warning("a batch of %d is the largest that fits (%d tries)", trying, tries)
                    return FittedBatch(result, trying)
                log.warning("a batch of %d fits: trying %d", trying, search.trying)
                result = None  # it may hold tensors
            snapshots.discard()
            gc.collect()  # frames and the tensors in them may lie in cycles


class _Search:
    """A search for the largest batch size that fits.

    Args:
        most: The largest batch size, which is tried first.
        least: The smallest.

    Attributes:
        trying: The batch size to try next.
    """

    def __init__(self, most: int, least: int) -> None:
        self.trying, self._least = most, least
        self._fits: int | None = None  # the largest size that fitted
        self._fails = most + 1  # the smallest size that didn't fit

    def failed(self) -> None:
        """Notes that `trying` didn't fit, and chooses the next size."""
        self._fails = self.trying
        if self._fits is not None and self._fits < self._fails:
            self.trying = (self._fits + self._fails) // 2  # the size that fits, once more, if no size lies between
        else:  # no size is known to fit; or the one that did no longer does
            self._fits, self.trying = None, max(self.trying // 2, self._least)

    def fitted(self) -> bool:
        """Notes that `trying` fitted. Returns True if it is the largest that fits, else chooses the next size."""
        if self.trying + 1 >= self._fails:
            return True
        self._fits, self.trying = self.trying, (self.trying + self._fails) // 2
        return False


def _whole(name: str, value: Any) -> int:
    """Returns an argument as an int; raises SettingTypeError if it isn't a whole number."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise SettingTypeError(f"{name}={value!r}", "is not a whole number", "Give one such as 64") from None


def _requested(error: BaseException) -> str:
    """Returns " (SIZE asked for on DEVICE)" for the request that failed, or "" if the error's message has no size."""
    request = parse(str(error))
    if request is None or request.size_bytes is None:
        return ""
    return " ({} asked for{})".format(size(request.size_bytes), " on " + request.device if request.device else "")


def _free_frames(error: BaseException | None, handled: BaseException | None) -> None:
    """Clears the frames in the tracebacks of an error and of its causes, so that they hold no tensors any more.

    Args:
        error: The error.
        handled: An error from before the step, at which the chain of causes ends; or None.
    """
    visited = {id(handled)}
    while error is not None and id(error) not in visited:
        visited.add(id(error))
        if error.__traceback__ is not None:
            traceback.clear_frames(error.__traceback__)
            error.__traceback__ = None
        error = error.__cause__ or error.__context__
