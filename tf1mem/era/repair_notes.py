"""The repairs made in this process, for the report of `tf1mem run`: each once, with the first line that needed it."""

from __future__ import annotations

import sys

from tf1mem.era.repairs import Repair
from tf1mem.machine.first_start import near

# A repair's owner and name, or a file's kind and name -> the line of the report.
_lines: dict[tuple[str, str], str] = {}
# A main file in Python 2 -> the files treated as Python 2 because of it, in order: a dict, used as an ordered set.
_parts: dict[str, dict[str, None]] = {}


def note(repair: Repair) -> None:
    """Records a repair, and the program's line on the stack as the one that needed it."""
    key = repair.owner, repair.name
    if key not in _lines:
        _lines[key] = f"repaired: {repair.what} at {_line()}, which {repair.since} {repair.did}"


def note_file(kind: str, filename: str, line: int, since: str, did: str) -> None:
    """Records that a file is of an older kind, and is translated.

    Args:
        kind: The kind, such as "Python 2".
        filename: The file's path.
        line: The number of the line that shows the kind.
        since: The first version that doesn't accept the kind: see `Repair`.
        did: The verb for that version's change: see `Repair`.
    """
    _lines[kind, filename] = f"repaired: {kind} at {near(filename)}:{line}, which {since} {did}"


def has_file(kind: str, filename: str) -> bool:
    """Returns True if `note_file` has recorded this kind for a file."""
    return (kind, filename) in _lines


def note_part(filename: str, main: str) -> None:
    """Records that a file is treated as Python 2 because its program's main file is."""
    _parts.setdefault(near(main), {})[near(filename)] = None


def _line() -> str:
    """Returns the place of the innermost frame that isn't of `_BETWEEN`: "train.py:12"."""
    frame = sys._getframe(2)
    while str(frame.f_globals.get("__name__", "")).startswith(_BETWEEN) and frame.f_back is not None:
        frame = frame.f_back
    return f"{near(frame.f_code.co_filename)}:{frame.f_lineno}"


# Modules whose frames lie between the program's line and the repair.
_BETWEEN = ("tf1mem.era.", "importlib")


def as_text() -> str:
    """Returns one line for each repair; "" if there was none."""
    parts = (f"treated as Python 2, since {main} is: {', '.join(files)}" for main, files in _parts.items())
    return "\n".join([*_lines.values(), *parts])
