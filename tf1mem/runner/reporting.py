"""The report of `tf1mem run`, at the program's end or on request: settings, repairs and children."""

from __future__ import annotations

from tf1mem.names import random_changes, used_names
from tf1mem.runner import packages
from tf1mem.runner.process_setup import RepairOptions


def as_text(repair_options: RepairOptions, children: str = "", width: int | None = None) -> str:
    """Returns the report of `tf1mem run`, as far as the program has run.

    Args:
        repair_options: The repairs that the program gets where it uses what newer libraries lack.
        children: The report's lines about child processes; "" for none.
        width: Width of the table in columns; default: the terminal's.
    """
    from tf1mem.applying.apply import report
    from tf1mem.era import repair_notes

    sections = (
        report().as_text(width),
        used_names.as_text(),
        random_changes.as_text(),
        repair_notes.as_text(),
        packages.as_text(repair_options.packages),
        children,
    )
    return "\n".join(filter(None, sections))
