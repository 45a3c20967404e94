"""Out of memory, explained: what TensorFlow asked for, under which cap, and what would help.

An error that passes `explain_oom` gets a note and stays the error that it is. `fit_batch` finds the largest batch that
fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tf1mem.oom.errors import note_of
from tf1mem.oom.explanation import explain_oom

if TYPE_CHECKING:
    from tf1mem.oom.batch import FittedBatch, fit_batch

__all__ = ["FittedBatch", "explain_oom", "fit_batch", "note_of"]


def __getattr__(name: str) -> Any:
    if name in ("FittedBatch", "fit_batch"):  # not for `tf1mem run`, which imports this before every program
        from tf1mem.oom import batch

        return getattr(batch, name)
    raise AttributeError(f"module 'tf1mem.oom' has no attribute {name!r}")
