"""gym's logger: a threshold for the messages of environments."""

from __future__ import annotations

import warnings

DEBUG, INFO, WARN, ERROR, DISABLED = 10, 20, 30, 40, 50

MIN_LEVEL = WARN


def set_level(level: int) -> None:
    """Sets the threshold: messages below it aren't shown."""
    global MIN_LEVEL
    from gymnasium import logger

    MIN_LEVEL = logger.min_level = level


setLevel = set_level  # noqa: N816


def debug(msg: str, *args: object) -> None:
    """Prints a message of level DEBUG."""
    _print(DEBUG, "DEBUG", msg, args)


def info(msg: str, *args: object) -> None:
    """Prints a message of level INFO."""
    _print(INFO, "INFO", msg, args)


def warn(msg: str, *args: object) -> None:
    """Warns, unless the threshold is higher."""
    if MIN_LEVEL <= WARN:
        warnings.warn(f"WARN: {msg % args}", stacklevel=2)


def error(msg: str, *args: object) -> None:
    """Prints a message of level ERROR."""
    _print(ERROR, "ERROR", msg, args)


def _print(level: int, name: str, msg: str, args: tuple[object, ...]) -> None:
    if level >= MIN_LEVEL:
        print(f"{name}: {msg % args}")
