"""`tf1mem completion`: the script by which a shell completes tf1mem's commands and options."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem, get_completion_class

from tf1mem.cli import colors

# What click looks for in the environment when the shell asks.
_VARIABLE = "_TF1MEM_COMPLETE"


def files(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """For the `shell_complete` of an argument that is a file: the shell completes it by itself."""
    return [CompletionItem(incomplete, type="file")]


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
    made = get_completion_class(shell)
    assert made is not None  # click has all three
    completion = made(ctx.find_root().command, {}, "tf1mem", _VARIABLE)
    # Not click's source(): it asks the bash on the PATH for its version, which needn't be the bash that reads this.
    click.echo(completion.source_template % completion.source_vars())
