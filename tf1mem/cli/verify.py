"""`tf1mem verify`: compares what a program computes on TensorFlow 1.15.5 and here."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Sequence

import click

from tf1mem.cli import colors, exits, output_options
from tf1mem.cli.completion import files, folders
from tf1mem.cli.widths import columns
from tf1mem.errors import BAD_INPUT, FINDINGS, VerifyError

if TYPE_CHECKING:
    from tf1mem.verifying.sides import Process

_STATUS = {"same": 0, "different": FINDINGS, "not compared": BAD_INPUT}


@click.command(epilog="Example: tf1mem verify train.py --epochs 1", context_settings={"allow_interspersed_args": False})
@click.option(
    "--against", metavar="FILE", shell_complete=files, help="Another script to compare with, run here as it is."
)
@click.option("--old-python", metavar="PATH", shell_complete=files, help="A Python with TensorFlow 1.15.5.")
@click.option(
    "--old",
    "old_file",
    metavar="FILE",
    shell_complete=files,
    help="The recording of TensorFlow 1.15.5, from --record, instead of a run.",
)
@click.option(
    "--record",
    metavar="FILE",
    shell_complete=files,
    help="Run only the side of TensorFlow 1.15.5, and record it in FILE.",
)
@click.option("--make-old", is_flag=True, help="Have uv make and keep a Python with TensorFlow 1.15.5.")
@click.option(
    "--with", "packages", multiple=True, metavar="PACKAGE", help="Install this into that Python, too: gym==0.15.7."
)
@click.option(
    "--with-package",
    "treated_as_own",
    multiple=True,
    metavar="NAME",
    help="Here, treat an installed package as the program's own, as tf1mem run does.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    default=50,
    metavar="N",
    help="Number of training steps to compare (default: 50).",
)
@click.option("--gpu", "gpus", multiple=True, metavar="SIZE", help="A simulated GPU on both sides: 8GiB.")
@click.option("--all-cpus", is_flag=True, help="Don't bind each process to one CPU.")
@click.option("--seed", type=int, default=1, metavar="N", help="Seed for random numbers without one (default: 1).")
@click.option(
    "--same-data", is_flag=True, help="Feed the run here with the data that the iterators of the run on 1.15.5 gave."
)
@click.option("--root", metavar="DIR", shell_complete=folders, help="Copy this folder, with all that SCRIPT reads.")
@click.option("--deep", is_flag=True, help="Look for the first difference inside loops and branches, too.")
@output_options.formats("text", "json")
@click.option("--html", metavar="FILE", shell_complete=files, help="Write the certificate as an HTML page.")
@output_options.quiet("Print only the verdict, and no progress.")
@output_options.verbose("Also print the details of the first difference.")
@colors.option
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, shell_complete=files, metavar="SCRIPT [ARGUMENTS]...")
@exits.documented("verify")
def command(
    *,
    against: str | None,
    old_python: str | None,
    old_file: str | None,
    record: str | None,
    make_old: bool,
    packages: tuple[str, ...],
    treated_as_own: tuple[str, ...],
    steps: int,
    gpus: tuple[str, ...],
    all_cpus: bool,
    seed: int,
    same_data: bool,
    root: str | None,
    deep: bool,
    form: str,
    html: str | None,
    quiet: bool,
    verbose: bool,
    arguments: tuple[str, ...],
) -> int:
    """Check whether an old program still computes the same.

    The old side runs the script on TensorFlow 1.15.5, in a separate Python. The new side runs it here by tf1mem run,
    or runs the script of --against here as it is. Each side trains N steps in a copy of the program's folder. Feeds,
    initial weights, gradients, losses and variables are compared step by step. Rounding is measured: the old side runs
    twice more with its weights moved by one unit in the last place. The first op that differs is named.
    """
    output_options.check_amount(quiet, verbose)
    from tf1mem.estimating.progress import progress
    from tf1mem.verifying import old
    from tf1mem.verifying.verify import Request, verify
    from tf1mem.verifying.verify import record as record_old

    if make_old or packages:
        click.echo(f"tf1mem verify: {old.make(packages)} is kept", err=True)
        if not arguments:
            return 0
    if not arguments:
        raise click.UsageError("Nothing to verify: name the script that trains.")
    if old_file is not None and (old_python is not None or record is not None):
        raise click.UsageError("--old with --old-python or --record: leave one of them out.")
    if old_file is not None and gpus:
        raise click.UsageError("--gpu needs both sides to run here: leave out --old.")
    if treated_as_own:
        if against is not None or record is not None:
            raise click.UsageError("--with-package is for tf1mem run: leave out --against and --record.")
        from tf1mem.runner import packages as rewritten

        rewritten.check(treated_as_own)
    request = Request(
        arguments[0],
        arguments[1:],
        against,
        old_python,
        old_file,
        steps,
        gpus,
        not all_cpus,
        seed,
        same_data,
        deep,
        root,
        treated_as_own,
    )
    if gpus:
        from tf1mem.gpusim.gpus import lineup

        lineup(list(gpus))
    for option, path in (("--html", html), ("--record", record)):
        if path is not None:
            output_options.check_writable(option, path, VerifyError)
    with progress("tf1mem verify") as show_stage:

        def show(processes: Sequence[Process]) -> None:
            if not quiet:
                show_stage(_steps(processes))

        if record is not None:
            record_old(request, Path(record), show)
            return 0
        result = verify(request, show)
    if html is not None:
        from tf1mem.verifying.page import as_page

        output_options.write("--html", html, as_page(result), VerifyError)
    if form == "json":
        click.echo(json.dumps(_finite(result), indent=2, default=str))
    else:
        from tf1mem.verifying.text import as_text

        click.echo(as_text(result, min(columns(sys.stdout), 100), verbosity=verbose - quiet))
    return _STATUS.get(result["verdict"], BAD_INPUT)


def _finite(value: Any) -> Any:
    """Returns a value that JSON can express: None in place of each number that is infinite or NaN."""
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _steps(processes: Sequence[Process]) -> str:
    """Returns the text of a progress line: the running processes, and the training steps of each so far."""
    return "steps of " + ", ".join(f"{process.folder.name} {process.steps}" for process in processes)
