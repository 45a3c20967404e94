"""How wide what is printed may be."""

from __future__ import annotations

import shutil
from typing import TextIO

# Piped, a text is read by a program or a pager: it keeps one width, whatever the terminal.
_PIPED = 80


def columns(stream: TextIO) -> int:
    """The columns of the terminal that a stream goes to."""
    return shutil.get_terminal_size().columns if stream.isatty() else _PIPED
