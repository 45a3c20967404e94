"""The width of printed text."""

from __future__ import annotations

import os
from typing import TextIO

# The width of piped text, which a program or a pager reads, whatever the terminal's width.
_PIPED = 80


def columns(stream: TextIO) -> int:
    """Returns the width for text on a stream: COLUMNS if it is set, else the terminal's; 80 on anything else."""
    chosen = os.environ.get("COLUMNS", "")
    if chosen.isdigit() and int(chosen):
        return int(chosen)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _PIPED
    except (OSError, ValueError):  # no terminal, or no file at all
        return _PIPED
