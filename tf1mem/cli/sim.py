"""`tf1mem sim`: runs a command on simulated GPUs."""

from __future__ import annotations

import json
import os
import shlex
import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Callable, NamedTuple, Sequence

import click

from tf1mem import __version__
from tf1mem.cli import colors, exits, gpus, output_options
from tf1mem.cli.completion import files
from tf1mem.cli.widths import columns
from tf1mem.errors import (
    BAD_INPUT,
    NOT_EXECUTABLE,
    NOT_FOUND,
    TIMED_OUT,
    CommandError,
    CommandNotFoundError,
    SimulationError,
    Tf1memError,
)

if TYPE_CHECKING:
    from tf1mem.gpusim.gpus import SimulatedGpu
    from tf1mem.gpusim.histories import Histories
    from tf1mem.gpusim.launching import Simulation
    from tf1mem.gpusim.strays import Strays

# The number of the layout of `--list-cards --format json`; it rises when a key is removed or changes its meaning.
_SCHEMA = 1
_PLOTS = (".svg", ".png", ".pdf")


class _Options(NamedTuple):
    """The options of `tf1mem sim`, except those about GPUs.

    Attributes:
        values: True to compute values, False to compute only shapes, None for values if there is a C++ compiler.
        cudnn_workspace: True to compute convolutions' workspaces.
        trace: The file for the trace, or None.
        watch: True to show the GPUs while the command runs.
        summary: True to show what was reserved, at the end.
        plot: The file for the plot, or None.
        html: The file for the page, or None.
        timeout: The time in seconds after which to end the command, or None.
        verbosity: -1 for --quiet, 1 for --verbose, else 0.
    """

    values: bool | None
    cudnn_workspace: bool
    trace: str | None
    watch: bool
    summary: bool
    plot: str | None
    html: str | None
    timeout: float | None
    verbosity: int

    @property
    def shows_results(self) -> bool:
        """Returns True if anything is shown or drawn at the end."""
        return self.summary or self.plot is not None or self.html is not None


@click.command(
    epilog="Example: tf1mem sim --gpu 8GiB --summary -- python train.py",
    context_settings={"allow_interspersed_args": False},
)
@gpus.options(
    "Number of GPUs of 16 GiB, or of the kind of --gpu (default: 1).",
    "A GPU: 8GiB, 'RTX 3090' or 16GiB,name=V100,cc=7.0. Repeat it.",
)
@click.option(
    "--used", multiple=True, metavar="SIZE", help="Memory that other processes use; repeat it to give one for each GPU."
)
@click.option(
    "--context", multiple=True, metavar="SIZE", help="Memory that each process's CUDA context takes (default: 0)."
)
@click.option(
    "--values/--no-values",
    default=None,
    help="Compute values, or only shapes (default: values if there is a C++ compiler).",
)
@click.option(
    "--cudnn-workspace",
    type=click.Choice(["none", "computed"]),
    default="none",
    metavar="WHICH",
    help="Convolutions' workspaces: none, or computed from shapes (default: none).",
)
@click.option("--trace", metavar="FILE", shell_complete=files, help="Write every allocation to FILE, as JSON lines.")
@click.option("--watch", is_flag=True, help="Show the GPUs on stderr while it runs.")
@click.option("--summary", is_flag=True, help="At the end, show on stderr what was reserved.")
@click.option(
    "--plot", metavar="FILE", shell_complete=files, help="Draw what was reserved over time: .svg, .png or .pdf."
)
@click.option(
    "--html", metavar="FILE", shell_complete=files, help="Write memory over time, processes and ops as a page."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="End the command after this time (status 124).",
)
@click.option("--list-cards", is_flag=True, help="List the cards that --gpu knows by name.")
@output_options.formats("text", "json", more="For --list-cards.")
@output_options.quiet("Leave out tf1mem's own notes on stderr.")
@output_options.verbose("Say on stderr which GPUs there are.")
@colors.option
@click.argument("arguments", nargs=-1, metavar="-- COMMAND...", type=click.UNPROCESSED, shell_complete=files)
@exits.documented("sim")
def command(
    *,
    count: int | None,
    kinds: tuple[str, ...],
    used: tuple[str, ...],
    context: tuple[str, ...],
    values: bool | None,
    cudnn_workspace: str,
    trace: str | None,
    watch: bool,
    summary: bool,
    plot: str | None,
    html: str | None,
    timeout: float | None,
    list_cards: bool,
    form: str,
    quiet: bool,
    verbose: bool,
    arguments: tuple[str, ...],
) -> int | Callable[[], int]:
    """Run a command on GPUs that are not there.

    TensorFlow's GPU wheels and their own allocator run as they are, on a CUDA driver that keeps account of memory.
    TensorFlow's CPU kernels compute the values, for which a C++ compiler is needed. Output and signals are the
    command's.
    """
    output_options.check_amount(quiet, verbose)
    from tf1mem.gpusim.gpus import lineup

    if list_cards:
        click.echo(_cards(form))
        return 0
    if not arguments:
        raise click.UsageError("Nothing to run: name a command after --.")
    requested = gpus.requested(count, kinds)
    lined_up = lineup(1 if requested is None else requested, _sizes(used), _sizes(context))
    _check_files(trace, plot, html)
    options = _Options(
        values, cudnn_workspace == "computed", trace, watch, summary, plot, html, timeout, verbose - quiet
    )
    return partial(_run, lined_up, arguments, options)


def _sizes(values: tuple[str, ...]) -> str | tuple[str, ...] | None:
    """Returns an option's sizes as `lineup` takes them: one for all GPUs, one for each, or None without the option."""
    return values[0] if len(values) == 1 else values or None


def _cards(form: str) -> str:
    """Returns the table of cards, as text or JSON."""
    from tf1mem.gpusim.cards import cards

    if form == "json":
        listed = [card._asdict() for card in cards()]
        return json.dumps({"schema": _SCHEMA, "tf1mem": __version__, "cards": listed}, indent=2)
    lines = ["{:<29}{:>14}{:>12}{:>18}".format("card", "memory", "capability", "multiprocessors")]
    lines += [
        f"{card.name:<29}{card.memory:>14}{card.compute_capability:>12}{card.multiprocessors:>18}" for card in cards()
    ]
    return "\n".join(lines)


def _check_files(trace: str | None, plot: str | None, html: str | None) -> None:
    if plot is not None:
        from tf1mem.gpusim.plot import check_installed

        if os.path.splitext(plot)[1].lower() not in _PLOTS:
            raise SimulationError("--plot " + plot, "is not a file format for plots", "End it in .svg, .png or .pdf")
        check_installed()
    written: dict[str, str] = {}
    for option, path in (("--trace", trace), ("--plot", plot), ("--html", html)):
        if path is not None:
            other = written.setdefault(os.path.realpath(path), option)
            if other != option:
                raise SimulationError(f"{other} and {option}", "are the same file", "Name two")
            output_options.check_writable(option, path, SimulationError)


def _run(gpus: Sequence[SimulatedGpu], arguments: Sequence[str], options: _Options) -> int:
    from tf1mem.gpusim import commands, nvidia_smi
    from tf1mem.gpusim.build import library_folder

    try:
        if arguments[0] != nvidia_smi.NAME:  # the simulation makes that command
            commands.find(arguments[0])
        library_folder()
        status = _simulate(gpus, arguments, options)
    except CommandNotFoundError as error:
        colors.complain(error)
        return NOT_FOUND
    except CommandError as error:
        colors.complain(error)
        return NOT_EXECUTABLE
    except Tf1memError as error:
        colors.complain(error)
        return BAD_INPUT
    return commands.end_as(status)


def _simulate(gpus: Sequence[SimulatedGpu], arguments: Sequence[str], options: _Options) -> int:
    from tf1mem.gpusim import commands
    from tf1mem.gpusim.launching import MACHINE, simulation, temporary_folder
    from tf1mem.gpusim.strays import Strays
    from tf1mem.gpusim.watching import Watch
    from tf1mem.settings.units import size

    if MACHINE in os.environ and options.verbosity >= 0:
        print(
            "tf1mem: note: this is tf1mem sim within tf1mem sim: the command gets its own GPUs, and the outer "
            "simulation doesn't see what it does",
            file=sys.stderr,
        )
    if options.verbosity > 0:
        for number, gpu in enumerate(gpus):
            print(f"tf1mem sim: GPU {number}: {gpu.name}, {size(gpu.total_bytes)}", file=sys.stderr)
    with ExitStack() as stack:
        blocked = stack.enter_context(commands.signals_held())
        written = options.trace
        if written is None and options.shows_results:
            written = str(stack.enter_context(temporary_folder()) / "trace.jsonl")
        with simulation(gpus, written, values=options.values, cudnn_workspace=options.cudnn_workspace) as machine:
            strays = Strays(machine.environment)
            try:
                with closing(Watch(machine.machine)) as watch:
                    observers = [strays.observe] * options.summary + [watch.observe] * options.watch
                    environment = dict(os.environ, **machine.environment)
                    status = commands.run(arguments, environment, blocked, options.timeout, observers)
            except commands.TimeUp:
                status = TIMED_OUT
                if options.verbosity >= 0:
                    _report_timeout(arguments, options)
            try:
                _show_results(machine, options, strays, " ".join(map(shlex.quote, arguments)), status)
            except Tf1memError as error:  # the command has run: its own status is kept unless it is 0
                colors.complain(error)
                status = status or BAD_INPUT
    return status


def _report_timeout(arguments: Sequence[str], options: _Options) -> None:
    command = " ".join(map(shlex.quote, arguments))
    message = f"{command} did not end within {options.timeout:g} seconds (--timeout), and was ended"
    if options.values is False:
        message += (
            ". With --no-values no value is computed: a program that waits for one, such as a "
            "falling loss, does not end"
        )
    try:
        print(f"tf1mem sim: {message}", file=sys.stderr)
    except OSError:
        pass  # Nobody reads: the terminal is gone.


def _show_results(machine: Simulation, options: _Options, strays: Strays, command: str, status: int) -> None:
    if not options.shows_results:
        return  # `machine.histories` would also remove killed processes, which `simulation` does at its end
    histories = replace(machine.histories(), strays=tuple(strays.found.values()))
    if options.summary:
        _print_summary(machine.gpus, histories)
    if options.plot is not None:
        from tf1mem.gpusim.plot import draw

        draw(options.plot, machine.gpus, histories)
    if options.html is not None:
        from tf1mem.gpusim.page import as_page

        output_options.write("--html", options.html, as_page(command, status, machine.gpus, histories), SimulationError)


def _print_summary(gpus: Sequence[SimulatedGpu], histories: Histories) -> None:
    from tf1mem.gpusim import summary

    try:
        coloured, width = colors.wanted(sys.stderr), columns(sys.stderr)
        if coloured or sys.stderr.isatty():
            from rich.console import Console

            console = Console(
                stderr=True, highlight=False, markup=False, emoji=False, width=width, no_color=not coloured,
                force_terminal=coloured,
            )  # fmt: skip
            summary.show(console, gpus, histories)
        else:
            print(summary.as_text(gpus, histories, width), file=sys.stderr)
        sys.stderr.flush()
    except OSError:
        pass  # Nobody reads: the terminal is gone.
