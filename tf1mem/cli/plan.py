"""`tf1mem plan`: what settings would do, and how."""

from __future__ import annotations

import json
import shutil
import sys
from typing import Any

import click

from tf1mem.cli import gpus
from tf1mem.cli.completion import files


@click.command()
@click.argument("file", metavar="FILE", shell_complete=files)
@click.option("--tensorflow", metavar="VERSION", help="Plan for this TensorFlow, not for the one installed.")
@gpus.options("Plan for a machine with N GPUs.", "Plan for a GPU of this size: 8GiB. One for each GPU.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(file: str, tensorflow: str | None, count: int | None, kinds: tuple[str, ...], as_json: bool) -> None:
    """Show what the settings in FILE (.pbtxt, .json, .yaml) would do, and how.

    \b
    Example: tf1mem plan --tensorflow 2.21 --gpus 2 settings.pbtxt
    """  # noqa: D301 - click wants the character, not an escape of it
    from tf1mem.planning.plan import plan
    from tf1mem.settings.settings import read

    machine: Any = gpus.asked(count, kinds)
    if kinds:
        from tf1mem.gpusim.gpus import lineup

        machine = [gpu.total_bytes for gpu in lineup(machine)]
    made = plan(read(file), tensorflow=tensorflow, gpus=machine)
    if as_json:
        click.echo(json.dumps(made.as_dict(), indent=2))
    else:
        click.echo(made.as_text(_width()))


def _width() -> int:
    # Piped, a table is read by a program or a pager: it keeps one width, whatever the terminal.
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 80
