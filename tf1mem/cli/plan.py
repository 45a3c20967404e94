"""`tf1mem plan`: shows what the settings in a file would do, and how."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from tf1mem.cli import colors, gpus, output_options
from tf1mem.cli.completion import files
from tf1mem.cli.widths import columns


@click.command(epilog="Example: tf1mem plan --gpus 2 settings.pbtxt")
@click.argument("file", metavar="FILE", shell_complete=files)
@click.option("--tensorflow", metavar="VERSION", help="Plan for this TensorFlow, not for the one installed.")
@gpus.options("Plan for a machine with N GPUs.", "Plan for a GPU of this size: 8GiB. One for each GPU.")
@output_options.formats("text", "json")
@output_options.quiet("A line for each step, without its call and reason.")
@output_options.verbose("Show TensorFlow's own log, if TensorFlow is started.")
@colors.option
def command(  # noqa: PLR0917
    file: str,
    tensorflow: str | None,
    count: int | None,
    kinds: tuple[str, ...],
    form: str,
    quiet: bool,
    verbose: bool,
) -> None:
    """Show what the settings in FILE (.pbtxt, .json, .yaml) would do, and how."""
    from tf1mem.hooks import own_log
    from tf1mem.planning.plan import plan
    from tf1mem.planning.steps import shown
    from tf1mem.settings.settings import read

    output_options.check_amount(quiet, verbose)
    if not verbose:
        own_log.leave_out()
    machine: Any = gpus.requested(count, kinds)
    if kinds:
        from tf1mem.gpusim.gpus import lineup
        from tf1mem.machine.cuda import CudaGpu

        machine = [CudaGpu(gpu.total_bytes, gpu.compute_capability) for gpu in lineup(machine)]
    result = plan(read(file), tensorflow=tensorflow, gpus=machine)
    if form == "json":
        click.echo(json.dumps(result.as_dict(), indent=2))
    elif quiet:
        for step in result.steps:
            if step.listed:
                click.echo(f"{step.setting}={shown(step.value)}: {step.route}")
    else:
        click.echo(result.as_text(columns(sys.stdout)))
