"""The record: one JSON object a line, for whoever reads it after the script has ended, however it ended."""

from __future__ import annotations

import json
import os
from typing import Any

_path = ""
_closing = False


def open_at(path: str) -> None:
    """Names the file that `write` adds to."""
    global _path
    _path = path


def close_soon() -> None:
    """From here on only what ends the record is written: the script has failed, and what comes is not its doing."""
    global _closing
    _closing = True


def write(event: str, **more: Any) -> None:
    """Adds a line. The file is opened for each: a script may close what it didn't open itself."""
    if _closing and event not in ("error", "end", "unseen"):
        return
    line = json.dumps({"event": event, "pid": os.getpid(), **more}, default=repr) + "\n"
    try:
        file = os.open(_path, os.O_WRONLY | os.O_APPEND)
    except OSError:
        return  # the doctor is gone, and nobody will read it
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)
