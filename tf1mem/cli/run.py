"""`tf1mem run`: runs a TF1 program unchanged."""

from __future__ import annotations

import os
import re
import sys
from functools import partial
from typing import Callable

import click

from tf1mem import runner
from tf1mem.cli import colors, exits, output_options
from tf1mem.cli.completion import files
from tf1mem.era import trust
from tf1mem.errors import BAD_INPUT
from tf1mem.machine import tf32
from tf1mem.runner import children, packages
from tf1mem.settings.variable_names import TF1_SEEDS, TF_VERSION, is_own, is_version

_TF_VERSION = "--tf-version"


class _LikePython(click.Command):
    """Ends tf1mem's own options at the script or at -m MODULE, as Python's command line does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = _end_of_module_option(args)
        return super().parse_args(ctx, [*args[:end], "--", *args[end:]] if end else args)


def _version(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Returns the value of --tf-version; click reports the error for one that isn't a version."""
    if value is not None and not is_version(value):
        raise click.BadParameter("it takes a version of TensorFlow, such as 1.15.5.")
    return value


@click.command(
    cls=_LikePython,
    epilog="Example: tf1mem run --report train.py --epochs 3",
    context_settings={"allow_interspersed_args": False},
)
@click.option(
    "--config", metavar="FILE", shell_complete=files, help="Settings for a program without any: .pbtxt, .json, .yaml."
)
@click.option("--override", metavar="FILE", shell_complete=files, help="Settings that override the program's.")
@click.option("--report", is_flag=True, help="At the end, list on stderr the outcome of each setting.")
@click.option("--no-tf1-seeds", is_flag=True, help="Let TensorFlow choose the seeds of a graph's ops.")
@click.option("--no-tf32", is_flag=True, help="Compute float32 as TensorFlow 1.15 did, on GPUs that would use TF32.")
@click.option(
    _TF_VERSION,
    metavar="VERSION",
    callback=_version,
    help="Show the program this as tf.__version__, such as 1.15.5: it may have other code for TensorFlow 2.",
)
@click.option("--as-is", is_flag=True, help="Don't repair what newer libraries or Python 3 removed or refuse.")
@click.option(trust.FLAG, is_flag=True, help="Let np.load and yaml.load read data that can run code.")
@click.option(
    packages.FLAG, "with_packages", metavar="NAME", multiple=True, help="Treat an installed package as the program's."
)
@click.option(children.FLAG, is_flag=True, help="Don't change the Pythons that the program starts.")
@output_options.quiet("Hide tf1mem's warnings; --report still lists each setting.")
@output_options.verbose("Show what TensorFlow logs as it starts, too.")
@colors.option
@click.option("-m", "module", metavar="MODULE", help="Run a module or package, as python -m does.")
@click.argument(
    "arguments",
    nargs=-1,
    type=click.UNPROCESSED,
    shell_complete=files,
    metavar="SCRIPT | NOTEBOOK | - | -m MODULE [ARGUMENTS]...",
)
@exits.documented("run")
def command(  # noqa: PLR0917
    config: str | None,
    override: str | None,
    report: bool,
    no_tf1_seeds: bool,
    no_tf32: bool,
    tf_version: str | None,
    as_is: bool,
    trust_data: bool,
    with_packages: tuple[str, ...],
    no_children: bool,
    quiet: bool,
    verbose: bool,
    module: str | None,
    arguments: tuple[str, ...],
) -> Callable[[], int]:
    """Run a TF1 program as it is, on the TensorFlow that is installed.

    In the program's own files, imports of tensorflow and keras give TensorFlow 1's API, and the GPU settings of the
    program's ConfigProtos hold. Arguments after the script or the module go to the program; - reads a script from
    standard input. A notebook's code cells are run as one program, with their magics where IPython is installed.

    A program without settings gets those of --config, or else of the variables TF1MEM_MEMORY_FRACTION,
    TF1MEM_ALLOW_GROWTH and others, which tf1mem.from_env() reads. A graph with a seed draws TensorFlow 1's numbers,
    unless TF1MEM_TF1_SEEDS is false. TF1MEM_TF32=false does what --no-tf32 does, and TF1MEM_TF_VERSION=1.15.5 what
    --tf-version 1.15.5 does.

    Names that NumPy and other libraries have removed since 2016 are restored in the program's own files, where they
    are used, and Python 2 is translated, unless --as-is is given.

    Installed packages are left alone. A library that was written for TensorFlow 1 itself, such as tflearn, is treated
    as the program's own with --with-package tflearn, which can be repeated. On disk it is not changed.

    All of this also applies to Pythons that the program starts, and to those that they start, unless --no-children is
    given.
    """
    output_options.check_amount(quiet, verbose)
    if no_tf1_seeds:
        os.environ[TF1_SEEDS] = "false"
    if no_tf32:
        os.environ[tf32.VARIABLE] = "false"
    if tf_version is not None:
        os.environ[TF_VERSION] = tf_version
    if module is not None:
        program = runner.module(module, arguments)
    elif arguments[:1] == ("-",):
        program = runner.standard_input(arguments[1:])
    elif arguments:
        program = runner.script(arguments[0], arguments[1:])
    else:
        raise click.UsageError("Nothing to run: name a script, - for one on standard input, or a module with -m.")
    outside = None  # the settings from outside the program
    # Only if there may be any: the import takes time, which a program without TensorFlow shouldn't pay.
    if config is not None or override is not None or any(map(is_own, os.environ)):
        from tf1mem.applying.outside import read_outside

        outside = read_outside(config, override, os.environ)
    repair_options = runner.RepairOptions(as_is, trust_data, with_packages)
    return partial(
        _run, program, outside, report, repair_options, verbosity=verbose - quiet, with_children=not no_children
    )


def _run(
    program: runner.Program,
    outside: object,
    report: bool,
    repair_options: runner.RepairOptions,
    *,
    verbosity: int,
    with_children: bool,
) -> int:
    # The program may bring its own version of click: its import mustn't return the one that is loaded here.
    for name in [name for name in sys.modules if name.partition(".")[0] == "click"]:
        del sys.modules[name]
    try:
        runner.launch(program, outside, report, repair_options, verbosity=verbosity, with_children=with_children)
    except runner.Refused as refused:
        colors.complain(refused.error)
        return BAD_INPUT
    return 0


def _end_of_module_option(args: list[str]) -> int:
    """Returns the index after `-m MODULE`, or 0 if there is no -m before the script, or no module after it."""
    position = 0
    while position < len(args):
        arg = args[position]
        flags = re.match("-[qv]*m", arg)
        if flags and flags.end() < len(arg):  # the module is joined to it
            return position + 1
        if flags:
            return position + 2 if position + 1 < len(args) else 0
        if arg in ("-", "--") or not arg.startswith("-"):
            return 0
        # The options with a value, which is the next argument.
        position += 2 if arg in ("--config", "--override", "--color", _TF_VERSION, packages.FLAG) else 1
    return 0
