"""`--color`: whether words stand out, in every command that prints for people."""

from __future__ import annotations

import os
from typing import Any, Callable, TextIO, TypeVar

import click

_STYLES: dict[str, dict[str, Any]] = {
    "title": {"bold": True},
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "note": {"fg": "cyan"},
    "removed": {"fg": "red"},
    "added": {"fg": "green"},
}

Command = TypeVar("Command", bound=Callable[..., Any])


def option(command: Command) -> Command:
    """Adds the option to a command, as `color`."""
    return click.option(
        "--color",
        type=click.Choice(("auto", "always", "never")),
        default="auto",
        metavar="WHEN",
        help="Colour: always, never, or auto: on a terminal.",
    )(command)


def wanted(color: str, stream: TextIO) -> bool:
    """Whether what is printed to a stream has colour; where the option doesn't say, NO_COLOR and FORCE_COLOR do."""
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR"):  # before the other, as Python has it for its tracebacks
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def paint(text: str, style: str) -> str:
    """Text in colour, as the doctor's pages and those of checks have it ("title", "error", …; "" for none)."""
    return click.style(text, **_STYLES[style]) if style else text
