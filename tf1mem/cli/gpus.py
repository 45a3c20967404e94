"""`--gpu` and `--gpus`: the GPUs that are asked for, in every command that takes some."""

from __future__ import annotations

from typing import Any, Callable, Sequence, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


class _Count(click.IntRange):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and value[:1].isdigit() and value[-1].isalpha():  # a size: the other option's
            self.fail(f"{value!r} is not a number of GPUs. --gpu {value} sets the kind", param, ctx)
        return super().convert(value, param, ctx)


def options(many: str, one: str) -> Callable[[Command], Command]:
    """Adds both options to a command, as `count` and `kinds`.

    Args:
        many: What --gpus is for, in --help.
        one: What --gpu is for.
    """

    def add(command: Command) -> Command:
        command = click.option("--gpu", "kinds", multiple=True, metavar="SIZE", help=one)(command)
        return click.option("--gpus", "count", type=_Count(min=0), metavar="N", help=many)(command)

    return add


def asked(count: int | None, kinds: Sequence[str]) -> int | Sequence[str] | None:
    """What both options say together: how many, or the kind of each; None where nothing is said.

    Raises:
        click.UsageError: They contradict each other.
        SimulationError: There are more than a machine has.
    """
    if not kinds or count is None:
        return kinds or count
    if len(kinds) > 1:
        raise click.UsageError("--gpus with more than one --gpu: leave out --gpus, or name one kind.")
    from tf1mem.gpusim.gpus import lineup

    return [kinds[0]] * len(lineup(count))
