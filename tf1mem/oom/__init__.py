"""Out of memory, explained: what TensorFlow asked for, under which cap, and what would help.

An error that passes `explain_oom` gets a note and stays the error that it is. `fit_batch` finds a batch that fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tf1mem.oom.explaining import explain_oom
from tf1mem.oom.notes import note_of

if TYPE_CHECKING:
    from tf1mem.oom.fitting import FittedBatch, fit_batch

__all__ = ["FittedBatch", "explain_oom", "fit_batch", "note_of"]


def __getattr__(name: str) -> Any:
    if name in ("FittedBatch", "fit_batch"):  # not for `tf1mem run`, which imports this before every program
        from tf1mem.oom import fitting

        return getattr(fitting, name)
    raise AttributeError(f"module 'tf1mem.oom' has no attribute {name!r}")
