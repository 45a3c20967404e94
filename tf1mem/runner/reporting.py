"""What a program is told at its end, or when it asks: what became of its settings, and what it was given."""

from __future__ import annotations

from tf1mem.machine import asked_names
from tf1mem.runner import packages
from tf1mem.runner.heritage import Era


def as_text(era: Era) -> str:
    """The report of `tf1mem run`, as far as the program has come.

    Args:
        era: What the program is given of older libraries.
    """
    from tf1mem.applying.apply import report
    from tf1mem.era import notes

    said = (report().as_text(), asked_names.as_text(), notes.as_text(), packages.as_text(era.packages))
    return "\n".join(filter(None, said))
