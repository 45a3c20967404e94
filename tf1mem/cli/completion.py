"""`tf1mem completion`: prints a script that makes a shell complete tf1mem's commands and options."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem, get_completion_class

from tf1mem.cli import colors

# The environment variable with which the shell's script asks click for completions.
_VARIABLE = "_TF1MEM_COMPLETE"


def files(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Makes the shell itself complete an argument that is a file: a value for click's `shell_complete`."""
    return [CompletionItem(incomplete, type="file")]


def folders(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Makes the shell itself complete an argument that is a folder: a value for click's `shell_complete`."""
    return [CompletionItem(incomplete, type="dir")]


@click.command()
@colors.option
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print a script that lets your shell complete tf1mem's commands and options.

    \b
    In ~/.bashrc (bash 4.4 and up):
      eval "$(tf1mem completion bash)"
    In ~/.zshrc:
      eval "$(tf1mem completion zsh)"
    In ~/.config/fish/config.fish:
      tf1mem completion fish | source
    """  # noqa: D301 - click wants the character, not an escape of it
    completion_class = get_completion_class(shell)
    assert completion_class is not None  # click has all three
    completion = completion_class(ctx.find_root().command, {}, "tf1mem", _VARIABLE)
    # Not click's source(): that checks the version of the bash on the PATH, but another bash may read this script.
    click.echo(completion.source_template % completion.source_vars())
