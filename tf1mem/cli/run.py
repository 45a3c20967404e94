"""`tf1mem run`: a TF1 program, as it is."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import Callable

import click

from tf1mem import runner
from tf1mem.cli.completion import files
from tf1mem.errors import BAD_INPUT, complain


class _LikePython(click.Command):
    """Ends tf1mem's own options at the script or at -m MODULE, as Python's command line does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = _end_of_module_option(args)
        return super().parse_args(ctx, [*args[:end], "--", *args[end:]] if end else args)


@click.command(
    cls=_LikePython,
    epilog="Example: tf1mem run --report train.py --epochs 3",
    context_settings={"allow_interspersed_args": False},
)
@click.option(
    "--config", metavar="FILE", shell_complete=files, help="Settings for a program without any: .pbtxt, .json, .yaml."
)
@click.option(
    "--override", metavar="FILE", shell_complete=files, help="Settings that stand above those of the program."
)
@click.option("--report", is_flag=True, help="Say on stderr, at the end, what became of the settings.")
@click.option("-m", "module", metavar="MODULE", help="Run a module or package, as python -m does.")
@click.argument(
    "arguments", nargs=-1, type=click.UNPROCESSED, shell_complete=files, metavar="SCRIPT | - | -m MODULE [ARGUMENTS]..."
)
def command(
    config: str | None, override: str | None, report: bool, module: str | None, arguments: tuple[str, ...]
) -> Callable[[], int]:
    """Run a TF1 program as it is, on the TensorFlow that is installed.

    In the program's own files, imports of tensorflow and keras give TensorFlow 1's API, with the GPU settings of
    its ConfigProtos honoured. What stands after the script or the module is the program's; - reads a script from
    standard input.

    A program that brings no settings lives under those of --config, or else of the variables TF1MEM_MEMORY_FRACTION,
    TF1MEM_ALLOW_GROWTH and the like, which tf1mem.from_env() reads.
    """
    if module is not None:
        program = runner.module(module, arguments)
    elif arguments[:1] == ("-",):
        program = runner.standard_input(arguments[1:])
    elif arguments:
        program = runner.script(arguments[0], arguments[1:])
    else:
        raise click.UsageError("Nothing to run: name a script, - for one on standard input, or a module with -m.")
    outside = None
    if config is not None or override is not None or any(map(_may_be_a_setting, os.environ)):
        from tf1mem.applying.outside import given

        outside = given(config, override, os.environ)
    return partial(_run, program, outside, report)


def _may_be_a_setting(variable: str) -> bool:
    """Whether it is worth loading what reads settings, which a program without TensorFlow is not to wait for."""
    return variable.startswith("TF1MEM_") and not variable.startswith(("TF1MEM_SIM_", "TF1MEM_DOCTOR_"))


def _run(program: runner.Program, outside: object, report: bool) -> int:
    # The program may have a click of its own.
    for name in [name for name in sys.modules if name.partition(".")[0] == "click"]:
        del sys.modules[name]
    try:
        runner.launch(program, outside, report)
    except runner.Refused as refused:
        complain(refused.error)
        return BAD_INPUT
    return 0


def _end_of_module_option(args: list[str]) -> int:
    """The index after `-m MODULE`, or 0 if -m does not come before the script."""
    position = 0
    while position < len(args):
        arg = args[position]
        if arg == "-m":
            return position + 2 if position + 1 < len(args) else 0
        if arg.startswith("-m"):
            return position + 1
        if arg in ("-", "--") or not arg.startswith("-"):
            return 0
        position += 2 if arg in ("--config", "--override") else 1
    return 0
