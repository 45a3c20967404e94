"""Explains out-of-memory errors: the size of the request, the cap in force, and what would help.

`explain_oom` adds a note to an error that passes through it, and changes nothing else about the error. `fit_batch`
finds the largest batch size that fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tf1mem.oom.explanation import explain_oom
from tf1mem.oom.oom_errors import note_of

if TYPE_CHECKING:
    from tf1mem.oom.batch import FittedBatch, fit_batch

__all__ = ["FittedBatch", "explain_oom", "fit_batch", "note_of"]


def __getattr__(name: str) -> Any:
    if name in ("FittedBatch", "fit_batch"):  # not for `tf1mem run`, which imports this before every program
        from tf1mem.oom import batch

        return getattr(batch, name)
    raise AttributeError(f"module 'tf1mem.oom' has no attribute {name!r}")
