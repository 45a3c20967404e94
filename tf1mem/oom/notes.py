"""The note that an error carries: PEP 678's, spelled out where Python is older than 3.11."""

from __future__ import annotations

TITLE = "tf1mem: out of memory"


def add(error: BaseException, note: str) -> None:
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
