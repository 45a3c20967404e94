"""TensorFlow's out-of-memory errors: which they are, without importing TensorFlow, and the note that they carry.

The note is PEP 678's, spelled out where Python is older than 3.11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from tf1mem.machine.modules import PACKAGES

if TYPE_CHECKING:
    from tf1mem.oom.messages import Request

TITLE = "tf1mem: out of memory"


def is_resource_exhausted(error: BaseException) -> bool:
    """Whether it is a `tf.errors.ResourceExhaustedError`."""
    return _is_tensorflows(error, "ResourceExhaustedError")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether TensorFlow had too little of something, memory mostly, or says of another error that it was memory."""
    return is_resource_exhausted(error) or request_of(error) is not None


def request_of(error: BaseException) -> Request | None:
    """What was asked for, if the error says that memory has run out; None for any other error.

    A ResourceExhaustedError may be about something else, such as a full disk. And a copy to a GPU that has no room
    left is an InternalError (tensorflow/core/common_runtime/eager/tensor_handle.cc, "Dst tensor is not initialized"),
    in TensorFlow 1.15's eager mode a RuntimeError. Where not even the device's own scratch buffer has room, it is a
    FailedPreconditionError, as is much that isn't about memory: an uninitialized variable. And where a convolution
    finds no room for cuDNN, it is an UnknownError from TensorFlow 2.10 on, as is what a Python function of the
    program's raises.
    """
    if _is_tensorflows(error, "FailedPreconditionError") or _is_tensorflows(error, "UnknownError"):
        from tf1mem.oom.messages import parse_scratch

        return parse_scratch(str(error))
    copied = type(error) is RuntimeError and str(error).startswith("Dst tensor is not initialized")
    if copied or is_resource_exhausted(error) or _is_tensorflows(error, "InternalError"):
        from tf1mem.oom.messages import parse

        return parse(str(error))
    return None


def found_in(error: BaseException) -> BaseException | None:
    """The out-of-memory error that this one is, was raised from, or holds (an ExceptionGroup); None without one."""
    for one in _chain(error):
        if request_of(one) is not None:
            return one
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    waiting, seen = [error], set()
    while waiting:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        held = getattr(one, "exceptions", ())
        waiting += [part for part in held if isinstance(part, BaseException)] if isinstance(held, tuple) else []
        before = one.__cause__ if one.__cause__ is not None or one.__suppress_context__ else one.__context__
        if before is not None:
            waiting.append(before)


def _is_tensorflows(error: BaseException, name: str) -> bool:
    return any(kind.__name__ == name and kind.__module__.partition(".")[0] in PACKAGES for kind in type(error).__mro__)


def add_note(error: BaseException, note: str) -> None:
    """Adds a note to an error, which stays the same otherwise."""
    if hasattr(error, "add_note"):
        error.add_note(note)
        return
    notes = getattr(error, "__notes__", None)
    if not isinstance(notes, list):
        notes = error.__notes__ = []  # type: ignore[attr-defined]
    notes.append(note)


def note_of(error: BaseException) -> str | None:
    """The note of tf1mem's that an error carries.

    Args:
        error: Any exception.

    Returns:
        What `tf1mem.explain_oom` added to it, or None.
    """
    notes = getattr(error, "__notes__", None)
    if not isinstance(notes, (list, tuple)):
        return None
    for note in notes:
        if isinstance(note, str) and note.startswith(TITLE):
            return note
    return None
