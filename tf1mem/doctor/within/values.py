"""ConfigProtos and devices as plain values, for the record."""

from __future__ import annotations

from typing import Any


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
