"""A repair for matplotlib, which took LaTeX's preamble as a list of lines up to 3.4, and takes one text since."""

from __future__ import annotations

from typing import Any, Callable

from tf1mem.era.repairs import PREAMBLE, Repair


def _joined(note: Callable[[], None], value: Any) -> Any:
    """Returns a preamble as one text, as matplotlib 3.4 joined its lines."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(line, str) for line in value):
        return value
    note()
    return "\n".join(value)


REPAIRS = (
    Repair(
        "matplotlib.RcParams", PREAMBLE, "matplotlib 3.5", _joined, "LaTeX's preamble as a list of lines",
        "doesn't take", is_in_need=lambda _: True, hint=PREAMBLE.encode(),
    ),
)  # fmt: skip
