"""Writes the record: each event is a line with a JSON object, so that it can be read however the script ends."""

from __future__ import annotations

import json
import os
from typing import Any

# Causes of the start of TensorFlow's runtime, other than Sessions.
EAGER_CONTEXT = "the eager context"
LISTING = "a listing of devices"
SERVER = "a Server"

_path = ""
_closing = False


def open_at(path: str) -> None:
    """Sets the path of the file that `write` appends to."""
    global _path
    _path = path


def close_soon() -> None:
    """Ignores further events except those that end the record: the script doesn't cause what follows its error."""
    global _closing
    _closing = True


def write(event: str, **more: Any) -> None:
    """Appends an event; does nothing if the file can't be opened.

    The file is opened each time, because a script may close descriptors that it did not open.

    Args:
        event: The event's kind, such as "start".
        more: The event's other keys. A value that JSON lacks is written as its `repr`.
    """
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
    """Returns the fields that are set in a ConfigProto, by their dotted names.

    Args:
        config: ConfigProto, or None.

    Returns:
        Values by name, such as {"gpu_options.allow_growth": True}. Lists and maps are text.
    """
    fields: dict[str, Any] = {}
    if config is not None and hasattr(config, "ListFields"):
        _gather(config, "", fields)
    return fields


def _gather(message: Any, prefix: str, fields: dict[str, Any]) -> None:
    """Adds the fields that are set in a message to `fields`, those of inner messages with dotted names."""
    for field, value in message.ListFields():
        name = prefix + field.name
        if hasattr(value, "ListFields"):
            _gather(value, name + ".", fields)
        elif hasattr(value, "items"):
            fields[name] = "{{{}}}".format(", ".join("{!r}: {!r}".format(*pair) for pair in sorted(value.items())))
        elif isinstance(value, (bool, int, float, str)):
            fields[name] = value
        else:
            fields[name] = "[{}]".format(", ".join(" ".join(str(item).split()) for item in value))


def shown(value: Any) -> str:
    """Returns an argument of a tf.config call as readable text.

    A device is shown by its type and number ("GPU:0"), a LogicalDeviceConfiguration by its limit in MiB, and another
    value by at most 60 characters of its `repr`.
    """
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
