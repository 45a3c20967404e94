"""Recognises TensorFlow's out-of-memory errors without importing TensorFlow, and adds notes to them.

The notes are those of PEP 678, written into `__notes__` directly on a Python older than 3.11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tf1mem.errors import chain
from tf1mem.machine.modules import PACKAGES

if TYPE_CHECKING:
    from tf1mem.oom.messages import FailedAllocation

TITLE = "tf1mem: out of memory"


def is_resource_exhausted(error: BaseException) -> bool:
    """Returns True for a `tf.errors.ResourceExhaustedError`."""
    return _is_tensorflows(error, "ResourceExhaustedError")


def is_out_of_memory(error: BaseException) -> bool:
    """Returns True for a `ResourceExhaustedError`, and for any other error whose message is about too little memory."""
    return is_resource_exhausted(error) or request_of(error) is not None


def request_of(error: BaseException) -> FailedAllocation | None:
    """Returns the request that failed if the error says that memory has run out, else None.

    The error's type alone doesn't decide:

    - A ResourceExhaustedError may be about something else, such as a full disk.
    - A copy to a full GPU raises an InternalError (tensorflow/core/common_runtime/eager/tensor_handle.cc, "Dst tensor
      is not initialized"), in TensorFlow 1.15's eager mode a RuntimeError.
    - A GPU without room even for the device's scratch buffer raises a FailedPreconditionError. So does an uninitialized
      variable.
    - A convolution without room for cuDNN raises an UnknownError from TensorFlow 2.10 on. So does a tf.py_function
      whose Python function raises an error.
    """
    if _is_tensorflows(error, "FailedPreconditionError") or _is_tensorflows(error, "UnknownError"):
        from tf1mem.oom.messages import parse_scratch

        return parse_scratch(str(error))
    copied = type(error) is RuntimeError and str(error).startswith("Dst tensor is not initialized")
    if copied or is_resource_exhausted(error) or _is_tensorflows(error, "InternalError"):
        from tf1mem.oom.messages import parse

        return parse(str(error))
    return None


def out_of_memory_in(error: BaseException) -> BaseException | None:
    """Returns the out-of-memory error that this error is, was raised from, or contains (an ExceptionGroup), or None."""
    for candidate in chain(error):
        if request_of(candidate) is not None:
            return candidate
    return None


def _is_tensorflows(error: BaseException, name: str) -> bool:
    return any(kind.__name__ == name and kind.__module__.partition(".")[0] in PACKAGES for kind in type(error).__mro__)


def add_note(error: BaseException, note: str) -> None:
    """Adds a note to an error, and changes nothing else."""
    if hasattr(error, "add_note"):
        error.add_note(note)
        return
    notes = getattr(error, "__notes__", None)
    if not isinstance(notes, list):
        notes = error.__notes__ = []  # type: ignore[attr-defined]
    notes.append(note)


def note_of(error: BaseException) -> str | None:
    """Returns the note that `tf1mem.explain_oom` added to an error.

    Args:
        error: Any exception.

    Returns:
        The note's text, or None if the error has none.
    """
    notes = getattr(error, "__notes__", None)
    if not isinstance(notes, (list, tuple)):
        return None
    for note in notes:
        if isinstance(note, str) and note.startswith(TITLE):
            return note
    return None
