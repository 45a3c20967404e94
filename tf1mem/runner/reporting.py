"""What a program is told at its end, or when it asks: what became of its settings, and what it was given."""

from __future__ import annotations

from tf1mem.machine import asked_names, drawn
from tf1mem.runner import packages
from tf1mem.runner.heritage import Era


def as_text(era: Era, children: str = "", width: int | None = None) -> str:
    """The report of `tf1mem run`, as far as the program has come.

    Args:
        era: What the program is given of older libraries.
        children: What is to be said of the Pythons that it has started.
        width: The table's columns; by default the terminal's.
    """
    from tf1mem.applying.apply import report
    from tf1mem.era import notes

    said = (
        report().as_text(width),
        asked_names.as_text(),
        drawn.as_text(),
        notes.as_text(),
        packages.as_text(era.packages),
        children,
    )
    return "\n".join(filter(None, said))
