"""`tf1mem plan`: what settings would do, and how."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from tf1mem.cli import gpus
from tf1mem.cli.completion import files
from tf1mem.cli.widths import columns


@click.command(epilog="Example: tf1mem plan --gpus 2 settings.pbtxt")
@click.argument("file", metavar="FILE", shell_complete=files)
@click.option("--tensorflow", metavar="VERSION", help="Plan for this TensorFlow, not for the one installed.")
@gpus.options("Plan for a machine with N GPUs.", "Plan for a GPU of this size: 8GiB. One for each GPU.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Show TensorFlow's own log, if TensorFlow is started.")
def command(  # noqa: PLR0917
    file: str, tensorflow: str | None, count: int | None, kinds: tuple[str, ...], as_json: bool, verbose: bool
) -> None:
    """Show what the settings in FILE (.pbtxt, .json, .yaml) would do, and how."""
    from tf1mem.hooks import own_log
    from tf1mem.planning.plan import plan
    from tf1mem.settings.settings import read

    if not verbose:
        own_log.leave_out()
    machine: Any = gpus.asked(count, kinds)
    if kinds:
        from tf1mem.gpusim.gpus import lineup

        machine = [gpu.total_bytes for gpu in lineup(machine)]
    made = plan(read(file), tensorflow=tensorflow, gpus=machine)
    if as_json:
        click.echo(json.dumps(made.as_dict(), indent=2))
    else:
        click.echo(made.as_text(columns(sys.stdout)))
