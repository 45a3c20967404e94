"""Colours of the commands' output and help, by `--color`, NO_COLOR and FORCE_COLOR."""

from __future__ import annotations

import os
import re
import sys
from typing import Any, Callable, Iterable, TextIO, TypeVar

import click

from tf1mem import errors

_STYLES: dict[str, dict[str, Any]] = {
    "title": {"bold": True},
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "note": {"fg": "cyan"},
    "removed": {"fg": "red"},
    "added": {"fg": "green"},
    "heading": {"fg": "green", "bold": True},
    "name": {"fg": "cyan", "bold": True},
    "value": {"fg": "cyan"},
}
_AUTO = "auto"
_NAMES = re.compile(r"(?<![\w-])-{1,2}\w[\w-]*|^[a-z]\w*$")

# The value of --color, for the output of the command, which comes after the command line has been read.
_choice = _AUTO

Command = TypeVar("Command", bound=Callable[..., Any])


def option(command: Command) -> Command:
    """Adds `--color` to a command. It holds for everything that the command prints, its help and errors too."""
    return click.option(
        "--color",
        type=click.Choice((_AUTO, "always", "never")),
        default=_AUTO,
        metavar="WHEN",
        help="Colour: always, never, or auto: on a terminal.",
        is_eager=True,
        expose_value=False,
        callback=_chosen,
    )(command)


def _chosen(context: click.Context, _parameter: click.Parameter, value: str) -> None:
    choose(value)
    if value != _AUTO:
        context.color = value == "always"


def choose(choice: str = _AUTO) -> None:
    """Sets the choice: "auto", "always" or "never"."""
    global _choice
    _choice = choice


def wanted(stream: TextIO | None) -> bool:
    """Returns True if text for a stream has colour; NO_COLOR and FORCE_COLOR count where --color is auto."""
    if _choice != _AUTO:
        return _choice == "always"
    if os.environ.get("NO_COLOR"):  # it overrides FORCE_COLOR, as for Python's tracebacks
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def complain(error: object) -> None:
    """Prints an error to stderr, in colour if that is wanted there."""
    errors.complain(error, wanted(sys.stderr))


def paint(text: str, style: str) -> str:
    """Returns text in a style's colour ("title", "error", …); unchanged for ""."""
    return click.style(text, **_STYLES[style]) if style else text


class _Formatter(click.HelpFormatter):
    """Formats help in colour, with the same line breaks as without. click removes the colour if none is wanted."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        before = len(self.buffer)
        super().write_usage(prog, args, prefix)
        text, head = "".join(self.buffer[before:]), "Usage:"
        if text.startswith(f"{head} {prog}"):
            text = f"{paint(head, 'heading')} {paint(prog, 'name')}" + text[len(head) + 1 + len(prog) :]
        self.buffer[before:] = [text]

    def write_heading(self, heading: str) -> None:
        self.write(" " * self.current_indent + paint(heading + ":", "heading") + "\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        super().write_dl([(_painted(first), second) for first, second in rows], col_max, col_spacing)


def _painted(text: str) -> str:
    """Returns an option or a command for help: names in one colour, values such as FILE in another."""
    parts, end = [], 0
    for name in _NAMES.finditer(text):
        parts += [paint(text[end : name.start()], "value" if text[end : name.start()].strip(" ,/") else "")]
        parts += [paint(name.group(), "name")]
        end = name.end()
    return "".join(parts) + (paint(text[end:], "value") if text[end:] else "")


class Context(click.Context):
    """The context of every command, whose help is in colour."""

    formatter_class = _Formatter
