"""`tf1mem estimate`: shows how much GPU memory one step of a model takes."""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack, redirect_stdout
from typing import TYPE_CHECKING

import click

from tf1mem.cli import colors, exits, outputs
from tf1mem.cli.completion import files
from tf1mem.cli.widths import columns
from tf1mem.errors import FINDINGS

if TYPE_CHECKING:
    from tf1mem.estimating import Estimate


@click.command(epilog="Example: tf1mem estimate train.py:build_model --limit 8GiB")
@click.option("--batch-size", type=click.IntRange(min=1), metavar="N", help="Batch size, if the model leaves it open.")
@click.option(
    "--spec", "specs", multiple=True, metavar="SPEC", help="An input of the step: 32x784:float32; repeatable."
)
@click.option("--training/--forward", default=None, help="The step of a model (default: training if it is compiled).")
@click.option("--limit", metavar="SIZE", help="Available memory: 8GiB, or a card: T4. Exit with 1 if it needs more.")
@click.option("--on", type=click.Choice(("gpu", "cpu")), metavar="DEVICE", help="gpu (simulated, or fail) or cpu.")
@outputs.formats("text", "json", more="With json, what the file prints goes to stderr.")
@outputs.quiet("Don't say how the estimate compares with --limit.")
@outputs.verbose("Show TensorFlow's own log.")
@colors.option
@click.argument("step", metavar="FILE:NAME", shell_complete=files)
@exits.documented("estimate")
def command(
    *,
    step: str,
    batch_size: int | None,
    specs: tuple[str, ...],
    training: bool | None,
    limit: str | None,
    on: str | None,
    form: str,
    quiet: bool,
    verbose: bool,
) -> int:
    """Estimate the GPU memory that one step takes, without a GPU.

    FILE:NAME, as in train.py:build_model, or MODULE:NAME is a Keras model, a step, or a function without arguments
    that makes one; it may return the specs after it: step, ((32, 784), "float32"). The file is imported with its GPUs
    hidden, so code that trains has to be below `if __name__ == "__main__"`.
    """
    outputs.check_amount(quiet, verbose)
    from tf1mem.estimating import estimate, named
    from tf1mem.estimating.progress import progress
    from tf1mem.gpusim.gpus import parse
    from tf1mem.hooks import own_log
    from tf1mem.machine.tensorflow import check_installed

    check_installed()
    card = None if limit is None else parse(limit)
    room = None if card is None else card.total_bytes - card.context_bytes
    command_line_specs = tuple(map(named.read_spec, specs))
    if not verbose:
        own_log.leave_out()
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"  # the step is measured on a simulated GPU, in a separate process
    with ExitStack() as stack:
        if form == "json":
            stack.enter_context(redirect_stdout(sys.stderr))
        with progress("tf1mem estimate") as show_stage:
            show_stage("importing TensorFlow and " + step.rpartition(":")[0])
            model, *rest = named.step_and_specs(step, named.load(step), command_line_specs)
        result = estimate(model, *rest, training=training, batch_size=batch_size, on=on)
    fits = room is None or result.limit_mib << 20 <= room
    if form == "json":
        click.echo(json.dumps({**result.as_dict(), "fits": fits}, indent=2))
    else:
        click.echo(result.as_text(min(columns(sys.stdout), 100)))
    if room is not None and not quiet:
        click.echo(_verdict(result, room, fits), err=True)
    return 0 if fits else FINDINGS


def _verdict(result: Estimate, room: int, fits: bool) -> str:
    from tf1mem.settings.units import size

    needed = f"{result.limit_mib:,} MiB of {size(room)}"
    if not fits:
        return f"tf1mem estimate: it doesn't fit: {needed}"
    return f"tf1mem estimate: it fits: {needed}, a fraction of {result.fraction(room / 2**30):g}"
