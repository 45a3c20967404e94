"""The `tf1mem` command as a whole: its subcommands, and their errors as messages and exit statuses."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Callable, Sequence, Union

import click

import tf1mem
from tf1mem.cli import colors
from tf1mem.errors import BAD_INPUT, INTERRUPTED, NOBODY_READS, Tf1memError, meant

# Command -> its line in --help. Its code is `command` in the module of its name in tf1mem.cli, imported when needed.
COMMANDS = {
    "check": "Say whether old programs would run.",
    "codemod": "Rewrite old TF1 source.",
    "doctor": "Diagnose this machine, or a script.",
    "completion": "Print a script for shell completion.",
    "estimate": "Say how much GPU memory a step takes.",
    "explain": "Explain a code, such as TFM402.",
    "plan": "Show what settings would do, and how.",
    "run": "Run a TF1 program as it is.",
    "sim": "Run a command on simulated GPUs.",
    "verify": "Compare what a program computes with TensorFlow 1.15.5.",
}

# The exit status, or the function that finishes the command and returns it.
Result = Union[int, Callable[[], int]]


class _Commands(click.Group):
    context_class = colors.Context

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module("tf1mem.cli." + cmd_name).command
        command.context_class = colors.Context
        command.short_help = COMMANDS[cmd_name]  # shells show it beside a completion
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name in COMMANDS or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        hint = f"tf1mem run {name} runs it." if name.endswith((".py", ".ipynb")) else meant(name, COMMANDS)
        raise click.UsageError(f"There is no command {name!r}. {hint}".rstrip(), ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@colors.option
@click.version_option(tf1mem.__version__, "-V", "--version", prog_name="tf1mem", message="%(prog)s %(version)s")
def _tf1mem() -> None:
    """TensorFlow 1's GPU memory settings, kept on every TensorFlow from 1.13 to 2.22."""


def start(arguments: Sequence[str]) -> Result:
    """Reads the command line and runs the command.

    Args:
        arguments: The command line without the program's name.

    Returns:
        The exit status, or a function that finishes the command (for `tf1mem run`, it runs the program) and returns the
        exit status.
    """
    colors.choose()
    try:
        result: Result | None = _tf1mem.main(
            list(arguments) or ["--help"], prog_name="tf1mem", standalone_mode=False, color=colors.wanted(sys.stdout)
        )
        sys.stdout.flush()
    except click.ClickException as error:
        colors.complain(_message(error))
        return BAD_INPUT
    except Tf1memError as error:
        colors.complain(error)
        return BAD_INPUT
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return NOBODY_READS
    except OSError as error:
        if error.filename is not None:
            raise  # it is about a file, not about the output: a bug in tf1mem
        _drop_output()
        colors.complain(
            Tf1memError("the output", f"can't be written: {error.strerror}", "Send it to a place with room")
        )
        return BAD_INPUT
    return 0 if result is None else result


def _message(error: click.ClickException) -> str:
    """Returns click's error message on one line, with the command whose --help says more."""
    message = " ".join(error.format_message().split())
    context = error.ctx if isinstance(error, click.UsageError) else None
    sentence = message if message.endswith((".", "?", "?)")) else message + "."
    return sentence if context is None else f"{sentence} See {context.command_path} --help"


def _drop_output() -> None:
    """Drops output that can't be written; Python would report an error for buffered output when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
