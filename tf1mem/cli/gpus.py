"""The options `--gpu` and `--gpus` of all commands that take simulated GPUs."""

from __future__ import annotations

from typing import Any, Callable, Sequence, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


class _Count(click.IntRange):
    """A number of GPUs; for a size such as 8GiB, the error names --gpu."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and value[:1].isdigit() and value[-1].isalpha():  # a size, which --gpu takes
            self.fail(f"{value!r} is not a number of GPUs. --gpu {value} sets the kind", param, ctx)
        return super().convert(value, param, ctx)


def options(help_gpus: str, help_gpu: str) -> Callable[[Command], Command]:
    """Adds both options to a command, as `count` and `kinds`.

    Args:
        help_gpus: The help text of --gpus.
        help_gpu: The help text of --gpu.
    """

    def add(command: Command) -> Command:
        command = click.option("--gpu", "kinds", multiple=True, metavar="SIZE", help=help_gpu)(command)
        return click.option("--gpus", "count", type=_Count(min=0), metavar="N", help=help_gpus)(command)

    return add


def requested(count: int | None, kinds: Sequence[str]) -> int | Sequence[str] | None:
    """Returns the number of GPUs, or the kind of each, by both options together; None without either option.

    Args:
        count: The value of --gpus, or None.
        kinds: The values of --gpu.

    Raises:
        click.UsageError: The options contradict each other.
        SimulationError: No machine has so many GPUs.
    """
    if not kinds or count is None:
        return kinds or count
    if len(kinds) > 1:
        raise click.UsageError("--gpus with more than one --gpu: leave out --gpus, or name one kind.")
    from tf1mem.gpusim.gpus import lineup

    return [kinds[0]] * len(lineup(count))
