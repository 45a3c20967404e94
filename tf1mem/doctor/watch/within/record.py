"""The record: one JSON object a line, for whoever reads it after the script has ended, however it ended."""

from __future__ import annotations

import json
import os
from typing import Any

# What starts the runtime and is no Session.
EAGER_CONTEXT = "the eager context"
LISTING = "a listing of devices"
SERVER = "a Server"

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


# --- ConfigProtos and devices as plain values ----------------------------------------------------------------------


def settings_of(config: Any) -> dict[str, Any]:
    """The fields that a ConfigProto has set, by their dotted names.

    Args:
        config: A ConfigProto, or None.

    Returns:
        Such as {"gpu_options.allow_growth": True}. Lists and maps are their text.
    """
    found: dict[str, Any] = {}
    if config is not None and hasattr(config, "ListFields"):
        _gather(config, "", found)
    return found


def _gather(message: Any, prefix: str, found: dict[str, Any]) -> None:
    for field, value in message.ListFields():
        name = prefix + field.name
        if hasattr(value, "ListFields"):
            _gather(value, name + ".", found)
        elif hasattr(value, "items"):
            found[name] = "{{{}}}".format(", ".join("{!r}: {!r}".format(*pair) for pair in sorted(value.items())))
        elif isinstance(value, (bool, int, float, str)):
            found[name] = value
        else:
            found[name] = "[{}]".format(", ".join(" ".join(str(item).split()) for item in value))


def shown(value: Any) -> str:
    """An argument of a tf.config call as one would read it: devices by their names."""
    name = getattr(value, "name", None)
    if isinstance(name, str) and "device" in name:
        return name.rsplit("device:", 1)[-1]
    limit = getattr(value, "memory_limit", None)
    if limit is not None:
        return f"memory_limit={limit}"
    if isinstance(value, (list, tuple)):
        return "[{}]".format(", ".join(shown(item) for item in value))
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
