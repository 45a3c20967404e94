"""`tf1mem estimate`: shows how much GPU memory one step of a model takes."""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack, redirect_stdout
from typing import TYPE_CHECKING, Iterable, TextIO

import click

from tf1mem.cli import colors, exits, output_options
from tf1mem.cli.completion import files
from tf1mem.cli.widths import columns
from tf1mem.errors import FINDINGS, StepTypeError
from tf1mem.settings.units import MIB, size

if TYPE_CHECKING:
    from tf1mem.estimating import Estimate
    from tf1mem.estimating.batches import LargestBatch

_LARGEST = "largest"


def _batch_sizes(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """Returns the batch sizes that an option's value has; none for "largest", and None without the option."""
    if value is None:
        return None
    if value == _LARGEST:
        return ()
    sizes = value.split(",")
    if not all(size.isdecimal() and int(size) > 0 for size in sizes):
        raise click.BadParameter(f"{value!r} is no batch size: 32, or several: 8,16,32; or {_LARGEST}.")
    return tuple(map(int, sizes))


@click.command(epilog="Example: tf1mem estimate train.py:build_model --limit 8GiB")
@click.option(
    "--batch-size",
    "sizes",
    callback=_batch_sizes,
    metavar="N",
    help="Batch size, if the model leaves it open; several: 8,16,32; with --limit also: largest, to find it.",
)
@click.option(
    "--spec", "specs", multiple=True, metavar="SPEC", help="An input of the step: 32x784:float32; repeatable."
)
@click.option("--training/--forward", default=None, help="The step of a model (default: training if it is compiled).")
@click.option("--limit", metavar="SIZE", help="Available memory: 8GiB, or a card: T4. Exit with 1 if it needs more.")
@click.option("--on", type=click.Choice(("gpu", "cpu")), metavar="DEVICE", help="gpu (simulated, or fail) or cpu.")
@output_options.formats("text", "json", more="With json, what the file prints goes to stderr.")
@output_options.quiet("Don't say how the estimate compares with --limit.")
@output_options.verbose("Show TensorFlow's own log.")
@colors.option
@click.argument("step", metavar="FILE:NAME", shell_complete=files)
@exits.documented("estimate")
def command(
    *,
    step: str,
    sizes: tuple[int, ...] | None,
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
    output_options.check_amount(quiet, verbose)
    if sizes == () and limit is None:
        raise click.UsageError(f"--batch-size {_LARGEST} without --limit: the largest of all has no end.")
    scanned = None if sizes is None or len(sizes) == 1 else sizes
    if scanned is not None and specs:
        raise click.UsageError("several batch sizes with --spec: a spec has the batch size. Leave one of them out.")
    from tf1mem.estimating import estimate, estimate_batches, named
    from tf1mem.estimating.batches import LargestBatch
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
    printed = sys.stdout
    with ExitStack() as stack:
        if form == "json":
            stack.enter_context(redirect_stdout(sys.stderr))
        with progress("tf1mem estimate") as show_stage:
            show_stage("importing TensorFlow and " + step.rpartition(":")[0])
            model, *step_specs = named.step_and_specs(step, named.load(step), command_line_specs)
        if scanned is not None:
            if step_specs:
                raise StepTypeError(
                    step, "has specs, and they have the batch size", "Leave --batch-size out, or return the model alone"
                )
            search = LargestBatch(room // MIB) if room is not None and not scanned else None
            results = estimate_batches(model, scanned if search is None else search, training=training, on=on)
            return _scan(results, search, room, out=printed, form=form, quiet=quiet)
        result = estimate(model, *step_specs, training=training, batch_size=sizes[0] if sizes else None, on=on)
    fits = _fits(result, room)
    if form == "json":
        click.echo(json.dumps({**result.as_dict(), "fits": fits}, indent=2))
    else:
        click.echo(result.as_text(min(columns(sys.stdout), 100)))
    if room is not None and not quiet:
        click.echo(_verdict(result, room, fits), err=True)
    return 0 if fits else FINDINGS


def _scan(
    results: Iterable[Estimate], search: LargestBatch | None, room: int | None, *, out: TextIO, form: str, quiet: bool
) -> int:
    """Prints a line for each batch size as soon as it is estimated, and returns the exit status.

    Args:
        results: The estimates.
        search: The search that chooses the batch sizes, or None if they were chosen by the user.
        room: The available memory in bytes, or None.
        out: The stream to print to: with JSON, sys.stdout is stderr meanwhile.
        form: "text", or "json" for a document on each line.
        quiet: True to leave the search's result out.
    """
    all_fit, printed = True, set()
    if form == "text":
        click.echo(_row("batch size", "peak", "limit to ask for", "" if room is None else "fits"), file=out)
    for result in results:
        fits = _fits(result, room)
        all_fit = all_fit and fits
        if search is not None:
            assert result.batch_size is not None
            search.note(result.batch_size, result.limit_mib)
        if form == "json":
            click.echo(json.dumps({**result.as_dict(), "fits": fits}), file=out)
        else:
            word = "" if room is None else "yes" if fits else "no"
            click.echo(_row(str(result.batch_size), size(result.peak), f"{result.limit_mib:,} MiB", word), file=out)
            for note in (result.source, *result.notes) if result.why_cpu or result.notes else ():
                if note not in printed:
                    click.echo(f"tf1mem estimate: batch size {result.batch_size}: {note}", err=True)
                printed.add(note)
        out.flush()
    if search is None:
        return 0 if all_fit else FINDINGS
    if not quiet:
        click.echo(_verdict_of_search(search), err=True)
    return 0 if search.best else FINDINGS


def _row(*cells: str) -> str:
    return "{:>10} {:>11} {:>17}  {}".format(*cells).rstrip()


def _fits(result: Estimate, room: int | None) -> bool:
    return room is None or result.limit_mib * MIB <= room


def _verdict_of_search(search: LargestBatch) -> str:
    if search.best is None:
        return f"tf1mem estimate: it doesn't fit, not even with batch size {search.too_large}"
    if search.too_large is None:
        return f"tf1mem estimate: it fits with batch size {search.best}, and larger ones weren't tried"
    return f"tf1mem estimate: it fits with batch size {search.best}, and not with {search.too_large}"


def _verdict(result: Estimate, room: int, fits: bool) -> str:
    needed = f"{result.limit_mib:,} MiB of {size(room)}"
    if not fits:
        return f"tf1mem estimate: it doesn't fit: {needed}"
    return f"tf1mem estimate: it fits: {needed}, a fraction of {result.fraction(room / 2**30):g}"
