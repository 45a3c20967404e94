"""Options on output that several commands have, such as `--format`; checks and writes their output files."""

from __future__ import annotations

import os
from typing import Any, Callable, TypeVar

import click

from tf1mem.errors import Tf1memError

Command = TypeVar("Command", bound=Callable[..., Any])
_BY_OLD_NAME = "tf1mem --json"


def formats(*names: str, more: str = "") -> Callable[[Command], Command]:
    """Adds `--format` to a command, as `form`; `--json` is its old name for JSON, which help doesn't show.

    Args:
        names: The formats, "text" first, which is the default.
        more: A sentence that is added to the option's help.
    """

    def add(command: Command) -> Command:
        command = click.option(
            "--json", is_flag=True, hidden=True, expose_value=False, is_eager=True, callback=_note_old_name
        )(command)
        return click.option(
            "--format", "form", type=click.Choice(names), metavar="FORMAT", callback=_format,
            help=" ".join(filter(None, ["Output format: {} (default: text).".format(", ".join(names)), more])),
        )(command)  # fmt: skip

    return add


def _note_old_name(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    context.meta[_BY_OLD_NAME] = value


def _format(context: click.Context, _parameter: click.Parameter, value: str | None) -> str:
    return value or ("json" if context.meta.get(_BY_OLD_NAME) else "text")


def quiet(words: str) -> Callable[[Command], Command]:
    """Adds `-q` to a command, as `quiet`.

    Args:
        words: The option's help.
    """
    return click.option("-q", "--quiet", is_flag=True, help=words)


def verbose(words: str) -> Callable[[Command], Command]:
    """Adds `-v` to a command, as `verbose`.

    Args:
        words: The option's help.
    """
    return click.option("-v", "--verbose", is_flag=True, help=words)


def check_amount(quiet: bool, verbose: bool) -> None:
    """Refuses --quiet with --verbose.

    Raises:
        click.UsageError: Both are given.
    """
    if quiet and verbose:
        raise click.UsageError("--quiet with --verbose: leave one of them out.")


def check_writable(option: str, path: str, error: type[Tf1memError]) -> None:
    """Checks that a file can be written, without changing it.

    Args:
        option: The option that names the file.
        path: The file, which need not exist yet.
        error: The class of the error to raise.

    Raises:
        Tf1memError: The file can't be written, or is no file.
    """
    new = not os.path.lexists(path)
    if not new and not os.path.isfile(path):
        raise error(f"{option} {path}", "is not a file", "Name a file, or one that isn't there yet")
    try:
        with open(path, "ab"):
            pass
    except OSError as fault:
        raise _unwritable(option, path, error, fault) from None
    if new:
        os.unlink(path)


def write(option: str, path: str, text: str, error: type[Tf1memError]) -> None:
    """Writes a file, as UTF-8; one that can't be written whole is removed.

    Args:
        option: The option that names the file.
        path: The file.
        text: The contents.
        error: The class of the error to raise.

    Raises:
        Tf1memError: The file can't be written.
    """
    try:
        with open(path, "w", encoding="utf-8") as file:
            try:
                file.write(text)
                file.flush()
            except BaseException:
                if os.path.isfile(path):
                    os.unlink(path)
                raise
    except OSError as fault:
        raise _unwritable(option, path, error, fault) from None


def _unwritable(option: str, path: str, error: type[Tf1memError], fault: OSError) -> Tf1memError:
    return error(f"{option} {path}", f"can't be written ({fault.strerror})", "Name a file that can")
