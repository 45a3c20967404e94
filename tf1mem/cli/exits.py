"""The exit statuses of every command, with their meanings: help and the guide's page are made from this table."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, TypeVar

from tf1mem.errors import BAD_INPUT, FINDINGS, INTERRUPTED, NOBODY_READS, NOT_EXECUTABLE, NOT_FOUND, TIMED_OUT

Command = TypeVar("Command", bound=Callable[..., Any])


class Exit(NamedTuple):
    """An exit status.

    Attributes:
        status: The number; None for the status of a program that the command runs, which becomes the command's.
        meaning: The meaning, as the text after "NUMBER: ".
    """

    status: int | None
    meaning: str


# The statuses that every command has, besides those of its own in `OWN`.
EVERY = (
    Exit(0, "nothing is wrong, or there is nothing to do"),
    Exit(BAD_INPUT, "wrong usage or bad input: a wrong option, or a file that can't be read or written"),
    Exit(INTERRUPTED, "Ctrl-C ended it"),
    Exit(NOBODY_READS, "the reader of its output has ended, such as head at the end of a pipe"),
)
# Name of a command -> its own statuses. Where one is also in `EVERY`, this is its meaning for the command.
OWN = {
    "check": (
        Exit(0, "nothing would stop a program (test files beside programs don't count)"),
        Exit(FINDINGS, "something would stop a program, even if other programs run"),
        Exit(BAD_INPUT, "a path or a file could not be read"),
    ),
    "codemod": (
        Exit(0, "nothing to do"),
        Exit(FINDINGS, "something would change or, with --write, needs a decision by hand"),
        Exit(BAD_INPUT, "something could not be read or written"),
    ),
    "doctor": (
        Exit(None, "with a script, the script's own"),
        Exit(0, "it has finished, also with findings"),
        Exit(FINDINGS, "with --strict, there is an error or a warning"),
    ),
    "estimate": (
        Exit(
            0, "there is no --limit, or the step fits into it with each batch size (largest: with one of those tried)"
        ),
        Exit(FINDINGS, "the step needs more than --limit with some batch size (largest: with each of those tried)"),
    ),
    "run": (Exit(None, "the program's own"), Exit(BAD_INPUT, "nothing was run: there is no such script or module")),
    "sim": (
        Exit(None, "the command's own"),
        Exit(TIMED_OUT, "the command took longer than --timeout, and was ended"),
        Exit(NOT_EXECUTABLE, "the command can't be executed"),
        Exit(NOT_FOUND, "there is no such command"),
    ),
    "verify": (
        Exit(0, "both sides compute the same"),
        Exit(FINDINGS, "the two sides differ"),
        Exit(BAD_INPUT, "the two sides could not be compared"),
    ),
}


def sentence(name: str) -> str:
    """Returns a command's own exit statuses as a sentence."""
    parts = (meaning if status is None else f"{status}: {meaning}" for status, meaning in OWN[name])
    return "Exit status: {}.".format("; ".join(parts))


def documented(name: str) -> Callable[[Command], Command]:
    """Returns a decorator that adds a command's own exit statuses to its docstring, from which click makes its help.

    Args:
        name: The command's name.
    """

    def add(command: Command) -> Command:
        command.__doc__ = f"{(command.__doc__ or '').rstrip()}\n\n    {sentence(name)}\n    "
        return command

    return add
